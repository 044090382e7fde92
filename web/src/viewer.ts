import * as THREE from 'three';
import { Connection, type Catalog, type Listener, type Status } from './connection';
import { parseRecording, type Decoder, type Recording } from './decode';
import { headingOf } from './kinematics';
import { inlinedRecording, pageWith, saveFile, unpack } from './page';
import { Player } from './player';
import { Recent } from './recent';
import { Meter, Samples } from './samples';
import type { Character, Frame, Header, RunEvent, Terrain } from './schema';
import { Hand } from './scene/hand';
import { channelColor } from './scene/marks';
import { Stage, type Layers } from './scene/stage';
import { Controls } from './ui/controls';
import { announce, byId, setFacts, setText, toast } from './ui/dom';
import { GraphPanel } from './ui/graph_panel';
import { setUpKeys } from './ui/keys';
import { setUpHelp, setUpMenu, setUpTabs, setUpTheme } from './ui/menus';
import { Plots } from './ui/plots';
import { metricFacts, recordingFacts, runTitle } from './ui/texts';
import { Transport } from './ui/transport';

const kPlotSeconds = 10;
const kShareSeconds = 30;
const kHintSeconds = 12;
const kMostSamples = 3000;

type Origin = 'file' | 'server' | 'shared';

// The page: a live run or a recording in the same picture.
export class Viewer implements Listener {
  private readonly stage: Stage;
  private readonly hand: Hand;
  private readonly controls: Controls;
  private readonly transport: Transport;
  private readonly plots = new Plots();
  private readonly graph: GraphPanel;
  private readonly recent = new Recent(kShareSeconds);
  private connection: Connection | null = null;
  private status: Status | null = null;
  // Live.
  private header: Header | null = null;
  private decoder: Decoder | null = null;
  private frameNow: Frame | null = null;
  private fresh = false; // a frame that was not shown yet
  private terrain: Terrain | null = null;
  private samples: Samples | null = null;
  // A recording.
  private player: Player | null = null;
  private origin: Origin = 'file';
  private fetching = false;
  private openedCount = -1; // of the program's recordings, the one that was fetched
  private terrainEvents = -1; // of the recording, up to the present time
  private shownTime = NaN; // of the recording
  private lastTick = 0;

  constructor() {
    this.stage = new Stage(byId<HTMLCanvasElement>('canvas'));
    this.hand = new Hand(this.stage, {
      canPush: () => this.live,
      drag: (actor, body, point, target) => this.send({ type: 'drag', actor, body, point, target }),
      release: () => this.send({ type: 'release' }),
      throwBall: (from, velocity) =>
        this.send({ type: 'throw', from, velocity, mass: this.controls.ballMass }),
      select: (actor) => this.select(actor),
      goTo: (x, y) => this.controls.steer({ point: [x, y], heading: null }),
    });
    this.controls = new Controls((message) => this.send(message));
    this.transport = new Transport({
      togglePause: () => this.togglePause(),
      step: (frames) => this.step(frames),
      restart: () => this.restart(),
      setRate: (rate) => this.setRate(rate),
      seek: (time) => this.seek(time),
      setLoop: (on) => this.player && (this.player.loop = on),
    });
    this.plots.onSeek = (time) => this.seek(time);
    setUpTheme(byId('theme'), () => {
      this.stage.setTheme(getComputedStyle(document.documentElement));
      this.plots.build();
    });
    const offerTab = setUpTabs();
    this.graph = new GraphPanel((on) => offerTab('tab-graph', on), (style) => this.live && this.controls.chooseStyle(style));
    const help = setUpHelp();
    setUpKeys({
      togglePause: () => this.togglePause(),
      step: (frames) => this.step(frames),
      restart: () => this.restart(),
      steer: (speed, heading) => this.steer(speed, heading),
      style: (index) => this.live && this.controls.chooseStyle(index),
      throwBall: () => this.live && this.hand.throwAtTrunk(),
      layer: (name) => this.toggleLayer(name),
      help,
    });
    this.setUpButtons();
    this.setUpLayers();
    this.setUpDrop();
    this.begin();
    requestAnimationFrame((now) => this.tick(now));
  }

  private begin() {
    const inlined = inlinedRecording();
    if (inlined) {
      unpack(inlined.base64)
        .then((bytes) => this.openBytes(bytes, inlined.name, 'shared'))
        .catch((error: unknown) => this.failed('The recording in this page cannot be read', error));
    } else if (location.protocol.startsWith('http')) {
      const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
      this.connection = new Connection(`${scheme}://${location.host}${this.address('/ws')}`, this);
    } else {
      byId('empty').hidden = false;
    }
    this.showMode();
  }

  // With the token this page was opened with.
  private address(path: string): string {
    const token = new URLSearchParams(location.search).get('token');
    return token === null ? path : `${path}?token=${encodeURIComponent(token)}`;
  }

  private get live(): boolean {
    return this.player === null && this.connection !== null && this.connection.ready;
  }

  private send(message: Record<string, unknown>) {
    this.connection?.send(message);
  }

  // --- what the program says ---

  onConnected() {
    byId('banner').hidden = true;
    announce('Connected');
    this.showMode();
  }

  onLost(retrySeconds: number) {
    this.status = null;
    this.showMode();
    if (this.player && this.origin === 'file') return;
    this.banner(`Disconnected. Trying again${retrySeconds > 1 ? ` in ${retrySeconds.toFixed(0)} s` : ''} …`, true);
  }

  private shownHeader(): Header | null {
    return this.player ? this.player.recording.header : this.header;
  }

  onCatalog(catalog: Catalog) {
    this.controls.setCatalog(catalog);
    if (this.status) this.controls.setStatus(this.status);
  }

  onMessage(text: string, fatal: boolean) {
    toast(text, true);
    if (fatal) announce(`The program closed the connection: ${text}`);
  }

  onHeader(header: Header, decoder: Decoder, bytes: Uint8Array) {
    this.header = header;
    this.decoder = decoder;
    this.terrain = header.world.terrain;
    this.frameNow = null;
    this.recent.begin(bytes);
    this.samples = new Samples(header, new Meter(header));
    if (!this.player) this.showLiveRun();
  }

  private showLiveRun() {
    if (!this.header || !this.decoder) return;
    this.stage.begin(this.header, this.decoder.actors);
    this.controls.steerActor(0);
    if (this.terrain) this.stage.setTerrain(this.terrain);
    this.plots.setSamples(this.samples!);
    this.showController(this.header);
    this.fresh = this.frameNow !== null;
    byId('empty').hidden = true;
    this.showMode();
  }

  onFrame(frame: Frame, bytes: Uint8Array) {
    this.frameNow = frame;
    this.fresh = true;
    this.recent.addFrame(frame.time, bytes);
    this.samples?.add(frame);
    this.samples?.keep(kPlotSeconds);
  }

  onEvent(event: RunEvent, bytes: Uint8Array) {
    this.recent.addEvent(event.time, bytes);
    if (event.kind === 'world' && event.data.terrain) {
      this.terrain = event.data.terrain as Terrain;
      if (!this.player) this.stage.setTerrain(this.terrain);
    } else if (event.kind === 'fall') {
      const who = this.decoder!.header!.world.actors.length > 1 ? `Character ${Number(event.data.actor ?? 0) + 1} fell` : 'Fell';
      announce(`${who} after ${event.time.toFixed(1)} seconds`);
    }
  }

  onStatus(status: Status) {
    const before = this.status;
    this.status = status;
    this.controls.setStatus(status);
    this.stage.commandedHeading = status.others[this.stage.selected - 1]?.command.heading ?? NaN;
    this.stage.goal = this.live ? this.controls.command.point : null;
    if (before && before.paused !== status.paused) announce(status.paused ? 'Paused' : 'Running');
    if (before?.recording && !status.recording && status.recorded_seconds > 0) {
      toast(`Recorded ${status.recorded_seconds.toFixed(1)} s. Download or share it.`);
    }
    if (status.mode === 'recording') {
      if (status.opened !== this.openedCount || !this.player) this.fetchRecording(status.opened);
    } else if (this.player && this.origin === 'server' && !this.fetching) {
      this.closeRecording();
    }
    if (!this.player) {
      this.transport.showPaused(status.paused);
      this.transport.showRate(status.rate);
    }
    this.showMode();
  }

  // --- recordings ---

  private fetchRecording(count: number) {
    if (this.fetching || (this.player && this.origin === 'file' && this.openedCount === count)) return;
    this.fetching = true;
    this.openedCount = count;
    fetch(this.address('/recording'))
      .then(async (response) => {
        if (!response.ok) throw new Error(await response.text());
        this.openBytes(new Uint8Array(await response.arrayBuffer()), 'recording', 'server');
      })
      .catch((error: unknown) => this.failed('The recording cannot be fetched', error))
      .finally(() => (this.fetching = false));
  }

  private openFile(file: File) {
    file.arrayBuffer()
      .then((buffer) => this.openBytes(new Uint8Array(buffer), file.name, 'file'))
      .catch((error: unknown) => this.failed(`${file.name} cannot be opened`, error));
  }

  private openBytes(bytes: Uint8Array, name: string, origin: Origin) {
    this.openRecording(parseRecording(bytes, name), origin);
  }

  private openRecording(recording: Recording, origin: Origin) {
    const player = new Player(recording);
    this.player = player;
    this.origin = origin;
    this.terrainEvents = -1;
    this.stage.begin(recording.header, recording.actors);
    const samples = new Samples(recording.header, new Meter(recording.header));
    const every = Math.max(1, Math.ceil(recording.frames.length / kMostSamples));
    recording.frames.forEach((frame, i) => i % every === 0 && samples.add(frame));
    this.plots.setSamples(samples);
    this.showController(recording.header);
    this.transport.setPlayer(player);
    byId('empty').hidden = true;
    setFacts(byId('recording-facts'), recordingFacts(recording));
    if (!recording.complete) toast(`${recording.name} was cut short: shown up to its last whole frame.`);
    announce(`Opened ${recording.name}`);
    this.showMode();
  }

  private closeRecording() {
    this.player = null;
    this.transport.setPlayer(null);
    if (this.status) {
      this.transport.showPaused(this.status.paused);
      this.transport.showRate(this.status.rate);
    }
    this.showLiveRun();
  }

  private backToLive() {
    if (this.origin === 'file' && this.status?.mode === 'live') {
      this.closeRecording();
    } else {
      this.origin = 'server';
      this.send({ type: 'live' });
    }
  }

  private failed(what: string, error: unknown) {
    const why = error instanceof Error ? error.message : String(error);
    toast(`${what}: ${why}`, true);
    announce(what);
  }

  // --- what the user does ---

  private togglePause() {
    if (this.player) this.player.toggle();
    else if (this.status) this.send({ type: 'pause', on: !this.status.paused });
  }

  private step(frames: number) {
    if (this.player) {
      this.player.step(frames);
    } else if (frames > 0) {
      if (this.status && !this.status.paused) this.send({ type: 'pause', on: true });
      this.send({ type: 'step' });
    }
  }

  private restart() {
    if (this.player) {
      this.player.seek(this.player.start);
      this.player.playing = true;
    } else {
      this.send({ type: 'restart' });
    }
  }

  private setRate(rate: number) {
    if (this.player) this.player.rate = rate;
    else this.send({ type: 'rate', value: rate });
  }

  private seek(time: number) {
    if (!this.player) return;
    this.player.playing = false;
    this.player.seek(time);
  }

  // A click on a character: camera, sliders and keys are its from now on.
  private select(actor: number) {
    if (actor === this.stage.selected || actor > (this.status?.others.length ?? 0)) return;
    this.stage.select(actor);
    this.controls.steerActor(actor);
    this.fresh = true;
    const name = this.decoder!.actors[actor].name;
    toast(`Steering ${name} ${actor + 1} of ${this.status!.others.length + 1}.`);
    announce(`Character ${actor + 1} selected`);
  }

  private steer(speedSteps: number, headingSteps: number) {
    if (this.player) {
      if (headingSteps !== 0) this.seek(this.player.time - headingSteps);
      return;
    }
    const v = this.stage.sample?.comVelocity ?? [0, 0, 0];
    const q = this.frameNow?.actors[this.stage.selected]?.q;
    this.controls.nudge(speedSteps, headingSteps, Math.hypot(v[0], v[1]), q ? headingOf(q) : 0);
  }

  private setUpButtons() {
    const file = byId<HTMLInputElement>('file');
    for (const id of ['open', 'empty-open']) byId(id).addEventListener('click', () => file.click());
    file.addEventListener('change', () => {
      if (file.files?.[0]) this.openFile(file.files[0]);
      file.value = '';
    });
    byId('record').addEventListener('click', () => this.send({ type: 'record', on: !this.status?.recording }));
    byId('share').addEventListener('click', () => void this.share());
    byId('back').addEventListener('click', () => this.backToLive());
    byId('throw').addEventListener('click', () => this.live && this.hand.throwAtTrunk());
    byId('aim').addEventListener('click', () => {
      this.hand.throwing = !this.hand.throwing;
      byId('aim').setAttribute('aria-pressed', String(this.hand.throwing));
    });
    byId('reset-view').addEventListener('click', () => this.stage.resetView());
    const menu = byId('download-menu');
    setUpMenu(byId('download'), menu, () => {
      const nothing = this.player === null && !this.status?.downloadable;
      for (const item of menu.querySelectorAll<HTMLButtonElement>('button')) {
        // Only the program converts; from an opened file there is the recording itself.
        item.disabled = nothing || (this.player !== null && item.dataset.download !== 'recording');
      }
    });
    menu.addEventListener('click', (event) => {
      const kind = (event.target as HTMLElement).closest<HTMLElement>('[data-download]')?.dataset.download;
      if (kind) void this.download(kind);
    });
    const dismiss = () => byId('hint').classList.add('gone');
    byId('canvas').addEventListener('pointerdown', dismiss, { capture: true });
    setTimeout(dismiss, 1000 * kHintSeconds);
  }

  private async download(kind: string) {
    try {
      const ending = kind === 'recording' ? 'stride' : kind;
      const bytes = this.player ? this.player.recording.bytes : await this.fetchDownload(kind);
      saveFile(bytes as BlobPart, `${this.fileName()}.${ending}`, 'application/octet-stream');
    } catch (error) {
      this.failed('Nothing was downloaded', error);
    }
  }

  private async fetchDownload(kind: string): Promise<Uint8Array> {
    const response = await fetch(this.address(`/download/${kind}`));
    if (!response.ok) throw new Error(await response.text());
    return new Uint8Array(await response.arrayBuffer());
  }

  private fileName(): string {
    const name = this.player && this.origin !== 'server' ? this.player.recording.name : this.shownHeader()?.title ?? '';
    return name.replace(/\.[a-z]+$/i, '').replace(/[^\w.-]+/g, '-').replace(/^-+|-+$/g, '').slice(0, 60) || 'stride';
  }

  // What is open, or else what was recorded, or else the last seconds that were seen.
  private async share() {
    try {
      let bytes: Uint8Array | null;
      let what = 'the recording';
      if (this.player) {
        bytes = this.player.recording.bytes;
      } else if (this.status?.downloadable && !this.status.recording) {
        bytes = await this.fetchDownload('recording');
        what = 'what was recorded last';
      } else {
        bytes = this.recent.recording();
        what = `the last ${this.recent.duration.toFixed(1)} s`;
      }
      if (!bytes) throw new Error('no frame has arrived yet');
      const name = this.fileName();
      saveFile(await pageWith(bytes, name), `${name}.html`, 'text/html');
      toast(`Saved ${what} as one page: it plays in any browser.`);
    } catch (error) {
      this.failed('Nothing was shared', error);
    }
  }

  private setUpDrop() {
    const drop = byId('drop');
    const files = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
    document.addEventListener('dragover', (event) => {
      if (!files(event)) return;
      event.preventDefault();
      drop.hidden = false;
    });
    document.addEventListener('dragleave', (event) => {
      if (event.relatedTarget === null) drop.hidden = true;
    });
    document.addEventListener('drop', (event) => {
      drop.hidden = true;
      if (!files(event)) return;
      event.preventDefault();
      const file = event.dataTransfer!.files[0];
      if (file) this.openFile(file);
    });
  }

  private setUpLayers() {
    for (const name of Object.keys(this.stage.layers) as (keyof Layers)[]) {
      const box = byId<HTMLInputElement>(`layer-${name}`);
      box.checked = this.stage.layers[name];
      box.addEventListener('change', () => {
        this.stage.layers[name] = box.checked;
        this.fresh = true;
      });
    }
  }

  private toggleLayer(name: keyof Layers) {
    const box = byId<HTMLInputElement>(`layer-${name}`);
    box.checked = !box.checked;
    this.stage.layers[name] = box.checked;
    this.fresh = true;
    announce(`${box.nextElementSibling!.textContent}: ${box.checked ? 'on' : 'off'}`);
  }

  // --- what is shown ---

  private showController(header: Header) {
    this.graph.setHeader(header);
    byId('legend').replaceChildren(...header.channels.filter((channel) => channel.values > 1).map((channel, i) => {
      const item = document.createElement('li');
      const dot = document.createElement('i');
      dot.style.background = `#${channelColor(i).toString(16).padStart(6, '0')}`;
      item.append(dot, channel.name);
      return item;
    }));
  }

  private banner(text: string, bad: boolean) {
    const banner = byId('banner');
    banner.classList.toggle('bad', bad);
    banner.hidden = text === '';
    setText(banner, text);
  }

  // Everything that depends on whether there is a live run, a recording, or neither.
  private showMode() {
    const { status, player } = this;
    const live = this.live && status !== null;
    byId('recording-info').hidden = player === null;
    byId('live-controls').hidden = player !== null;
    byId('hint').hidden = player !== null;
    byId('watch-group').hidden = !this.connection?.ready;
    byId('back').hidden = !this.connection?.ready;
    byId('metrics-title').hidden = !live;
    setFacts(byId('metrics'), live ? metricFacts(status) : []);
    byId<HTMLButtonElement>('record').disabled = !live;
    byId('record').setAttribute('aria-pressed', String(live && status.recording));
    byId<HTMLButtonElement>('share').disabled = !player && !this.frameNow;
    byId<HTMLButtonElement>('download').disabled = !player && !live;
    const title = runTitle(this.shownHeader());
    setText(byId('run-title'), title);
    byId('run-title').title = title;
    document.title = title ? `${title} · stride` : 'stride';

    const state = byId('chip-state');
    state.classList.toggle('live', live && !status.paused);
    setText(state, player ? 'Recording' : !live ? '' : status.paused ? 'Paused' : 'Live');
    setText(byId('chip-speed'), !live || status.paused ? '' : `${Math.round(100 * status.realtime)} % of ${status.rate === 1 ? 'real time' : `${status.rate}×`}`);
    if (!player) byId('chip-fell').hidden = !(live && status.fell);
    this.graph.showStyle(live ? this.controls.command.style : null);
    byId('chip-record').hidden = !(live && status.recording);
    if (live && status.recording) setText(byId('chip-record'), `${status.recorded_seconds.toFixed(1)} s`);
    if (live) {
      this.banner(status.late && !status.paused
        ? `This machine cannot keep real time: it runs at ${Math.round(100 * status.realtime)} % of the speed asked for. Slow motion or a simpler character helps.`
        : '', false);
    } else if (player && this.connection?.ready) {
      this.banner('', false);
    }
  }

  private tick(now: number) {
    const seconds = Math.min(0.25, (now - this.lastTick) / 1000);
    this.lastTick = now;
    if (this.player) this.showPlayer(this.player, seconds);
    else if (this.frameNow && this.fresh) this.showLive(this.frameNow);
    this.hand.update(now);
    this.plots.update(now, this.player ? this.player.time : null);
    this.stage.render(seconds);
    requestAnimationFrame((next) => this.tick(next));
  }

  private showLive(frame: Frame) {
    this.fresh = false;
    this.stage.show(frame, this.decoder!.actors);
    this.graph.show(frame, this.stage.selected === 0);
    this.transport.showLive(frame.time);
  }

  private showPlayer(player: Player, seconds: number) {
    player.advance(seconds);
    this.transport.showPlayer(player);
    if (player.time === this.shownTime && !this.fresh) return;
    this.shownTime = player.time;
    this.fresh = false;
    const past = player.recording.events.filter((event) => event.time <= player.time + 1e-9);
    byId('chip-fell').hidden = !past.some((event) => event.kind === 'fall' && (event.data.actor ?? 0) === 0);
    const worlds = past.filter((event) => event.kind === 'world' && event.data.terrain);
    if (worlds.length !== this.terrainEvents) {
      this.terrainEvents = worlds.length;
      const terrain = worlds.length > 0 ? worlds[worlds.length - 1].data.terrain as Terrain : player.recording.header.world.terrain;
      this.stage.setTerrain(terrain);
    }
    this.stage.show(player.frame(), player.recording.actors);
    this.graph.show(player.frame(), true);
  }

  hook() {
    const actors = (): Character[] => this.player ? this.player.recording.actors : this.decoder?.actors ?? [];
    return {
      mode: () => (this.player ? 'recording' : this.frameNow ? 'live' : 'none'),
      framesReceived: () => this.connection?.framesReceived ?? 0,
      framesUnreadable: () => this.connection?.framesUnreadable ?? 0,
      drawn: () => this.stage.drawn,
      status: () => this.status,
      frame: () => (this.player ? this.player.frame() : this.frameNow),
      header: () => this.shownHeader(),
      actors,
      sample: () => this.stage.sample,
      player: () => this.player,
      dragging: () => this.hand.dragging,
      setPixelRatio: (ratio: number) => this.stage.setRatio(ratio),
      selected: () => this.stage.selected,
      // The middle of a body on the screen.
      screen: (body: number, actor = 0) => {
        const figure = this.stage.figures[actor];
        return this.stage.project(figure.toWorld(body, new THREE.Vector3(...figure.character.bodies[body].com)));
      },
    };
  }
}
