import { Connection, type Catalog, type Listener, type Status } from './connection';
import type { ControlCurve } from './curves';
import type { Decoder } from './decode';
import { Exports } from './exports';
import { hookOf } from './hook';
import { headingOf } from './kinematics';
import { LiveRun } from './live_run';
import { inlinedRecording } from './page';
import type { Player } from './player';
import { pastOf, Recordings, samplesOf, type RecordingsListener } from './recordings';
import type { Character, Frame, Header, RunEvent, Terrain } from './schema';
import { Hand } from './scene/hand';
import { Stage } from './scene/stage';
import { Controls } from './ui/controls';
import { CurveEditor } from './ui/curve_editor';
import { announce, byId, setFacts, toast } from './ui/dom';
import { setUpOpening, setUpSaving } from './ui/files';
import { GraphPanel } from './ui/graph_panel';
import { setUpKeys } from './ui/keys';
import { setUpLayers } from './ui/layers';
import { showLegend } from './ui/legend';
import { setUpHelp, setUpTabs, setUpTheme } from './ui/menus';
import { isLive, showBanner, showMode, type Mode } from './ui/mode';
import { PlotActor } from './ui/plot_actor';
import { Plots } from './ui/plots';
import { recordingFacts } from './ui/texts';
import { Transport } from './ui/transport';
import { isRecording, performFile } from './uploads';

const kHintSeconds = 12; // at least

// The page: a live run or a recording in the same picture. Tells its parts of each other.
export class Viewer implements Listener, RecordingsListener {
  private readonly live = new LiveRun();
  private readonly recordings = new Recordings((path) => this.address(path), this);
  private readonly stage: Stage;
  private readonly hand: Hand;
  private readonly controls: Controls;
  private readonly transport: Transport;
  private readonly plots = new Plots();
  private readonly plotActor = new PlotActor((actor) => this.plot(actor));
  private readonly graph: GraphPanel;
  private readonly editor: CurveEditor;
  private connection: Connection | null = null;
  private status: Status | null = null;
  private plotted = 0; // actor
  private fresh = false; // something is to be drawn that was not yet
  private shownTime = NaN; // of the recording
  private shownTerrain: Terrain | null = null; // of the recording
  private lastTick = 0;

  constructor() {
    this.stage = new Stage(byId<HTMLCanvasElement>('canvas'));
    this.hand = new Hand(this.stage, {
      canPush: () => this.canTouch,
      drag: (actor, body, point, target) => this.send({ type: 'drag', actor, body, point, target }),
      release: () => this.send({ type: 'release' }),
      throwBall: (from, velocity) =>
        this.send({ type: 'throw', from, velocity, mass: this.controls.ballMass }),
      select: (actor) => this.select(actor),
      goTo: (x, y) => this.controls.steer({ point: [x, y], heading: null }),
    });
    this.controls = new Controls((message) => this.send(message));
    const transport = {
      togglePause: () => this.togglePause(),
      step: (frames: number) => this.step(frames),
      restart: () => this.restart(),
      setRate: (rate: number) => this.setRate(rate),
      seek: (time: number) => this.seek(time),
      setLoop: (on: boolean) => this.player && (this.player.loop = on),
    };
    this.transport = new Transport(transport);
    this.plots.onSeek = (time) => this.seek(time);
    setUpTheme(byId('theme'), () => {
      this.stage.setTheme(getComputedStyle(document.documentElement));
      this.plots.build();
    });
    const offerTab = setUpTabs();
    const chooseStyle = (style: number) => this.canTouch && this.controls.chooseStyle(style);
    this.graph = new GraphPanel((on) => offerTab('tab-graph', on), chooseStyle);
    const exports = new Exports((path, query) => this.address(path, query), this.recordings, this.live, () => this.status);
    this.editor = new CurveEditor((on) => offerTab('tab-curves', on), {
      send: (message) => this.send(message),
      save: (actor) => void exports.saveSkill(actor),
    });
    setUpKeys({
      ...transport,
      steer: (speed, heading) => this.steer(speed, heading),
      style: chooseStyle,
      throwBall: () => this.throwBall(),
      layer: setUpLayers(this.stage.layers, () => (this.fresh = true)),
      help: setUpHelp(),
    });
    setUpOpening((file) => void this.open(file));
    setUpSaving(exports);
    this.setUpButtons();
    this.begin();
    requestAnimationFrame((now) => this.tick(now));
  }

  private begin() {
    const inlined = inlinedRecording();
    if (inlined) {
      this.recordings.openInlined(inlined);
    } else if (location.protocol.startsWith('http')) {
      const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
      this.connection = new Connection(`${scheme}://${location.host}${this.address('/ws')}`, this);
    } else {
      byId('empty').hidden = false;
    }
    this.showMode();
  }

  private setUpButtons() {
    byId('record').addEventListener('click', () => this.send({ type: 'record', on: !this.status?.recording }));
    byId('back').addEventListener('click', () => {
      if (!this.recordings.backToLive(this.status)) this.send({ type: 'live' });
    });
    byId('throw').addEventListener('click', () => this.throwBall());
    byId('aim').addEventListener('click', () => {
      this.hand.throwing = !this.hand.throwing;
      byId('aim').setAttribute('aria-pressed', String(this.hand.throwing));
    });
    byId('reset-view').addEventListener('click', () => this.stage.resetView());
    // Until the newcomer has done something, or read it.
    const dismiss = () => byId('hint').classList.add('gone');
    byId('hint-close').addEventListener('click', dismiss);
    setTimeout(() => {
      byId('canvas').addEventListener('pointerdown', dismiss, { capture: true });
      document.addEventListener('keydown', dismiss);
    }, 1000 * kHintSeconds);
  }

  // With the token this page was opened with.
  private address(path: string, query: Record<string, string> = {}): string {
    const token = new URLSearchParams(location.search).get('token');
    const all = new URLSearchParams({ ...query, ...(token === null ? {} : { token }) }).toString();
    return all === '' ? path : `${path}?${all}`;
  }

  private get player(): Player | null {
    return this.recordings.player;
  }

  // A recording is played here; anything else the program performs, if it takes files.
  private async open(file: File) {
    const here = !this.connection?.ready || !this.status?.takes_files || await isRecording(file);
    if (here) return this.recordings.openFile(file);
    if (await performFile((path, query) => this.address(path, query), file)) this.recordings.backToLive(this.status);
  }

  // There is a live run that can be touched.
  private get canTouch(): boolean {
    return this.player === null && (this.connection?.ready ?? false);
  }

  private get header(): Header | null {
    return this.player ? this.player.recording.header : this.live.header;
  }

  private get actors(): Character[] {
    return this.player ? this.player.recording.actors : this.live.actors;
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
    if (this.player && this.recordings.origin === 'file') return;
    showBanner(`Disconnected. Trying again${retrySeconds > 1 ? ` in ${retrySeconds.toFixed(0)} s` : ''} …`, true);
  }

  onCatalog(catalog: Catalog) {
    this.controls.setCatalog(catalog);
    if (this.status) this.controls.setStatus(this.status);
  }

  onCurves(actor: number, curves: ControlCurve[]) {
    this.editor.setCurves(actor, curves);
  }

  onNote(text: string) {
    toast(text);
    announce(text);
  }

  onMessage(text: string, fatal: boolean) {
    toast(text, true);
    this.controls.showSetup(true);
    if (fatal) announce(`The program closed the connection: ${text}`);
  }

  onHeader(header: Header, decoder: Decoder, bytes: Uint8Array) {
    this.live.begin(header, decoder, bytes);
    this.editor.begin();
    this.controls.setGround(header.world.terrain.kind);
    if (!this.player) this.showLiveRun();
  }

  onFrame(frame: Frame, bytes: Uint8Array) {
    this.live.addFrame(frame, bytes);
    this.fresh = true;
  }

  onEvent(event: RunEvent, bytes: Uint8Array) {
    this.live.addEvent(event, bytes);
    if (event.kind === 'world') this.controls.setGround(this.live.terrain!.kind);
    if (event.kind === 'world' && !this.player) {
      this.stage.setTerrain(this.live.terrain!);
    } else if (event.kind === 'fall') {
      const who = this.live.header!.world.actors.length > 1 ? `Character ${Number(event.data.actor ?? 0) + 1} fell` : 'Fell';
      announce(`${who} after ${event.time.toFixed(1)} seconds`);
    }
  }

  onStatus(status: Status) {
    const before = this.status;
    this.status = status;
    this.controls.setStatus(status);
    this.stage.goal = this.canTouch ? this.controls.command.point : null;
    if (before && before.paused !== status.paused) announce(status.paused ? 'Paused' : 'Running');
    if (before?.recording && !status.recording && status.recorded_seconds > 0) {
      toast(`Recorded ${status.recorded_seconds.toFixed(1)} s. Download or share it.`);
    }
    this.recordings.follow(status);
    this.showPace();
    this.showMode();
  }

  // --- what is open ---

  onOpened(player: Player) {
    const { recording } = player;
    this.shownTerrain = null;
    this.showRun(recording.header);
    this.transport.setPlayer(player);
    setFacts(byId('recording-facts'), recordingFacts(recording));
    if (!recording.complete) toast(`${recording.name} was cut short: shown up to its last whole frame.`);
    announce(`Opened ${recording.name}`);
    this.showMode();
  }

  onClosed() {
    this.transport.setPlayer(null);
    this.showPace();
    this.showLiveRun();
  }

  private showLiveRun() {
    if (!this.live.header) return;
    this.showRun(this.live.header);
    if (this.live.terrain) this.stage.setTerrain(this.live.terrain);
    this.fresh = this.live.frame !== null;
    this.showMode();
  }

  private showRun(header: Header) {
    this.stage.begin(header, this.actors);
    this.plotActor.setHeader(header);
    this.attend(0);
    byId('empty').hidden = true;
  }

  // --- whom it is about ---

  // A click on a character: camera, sliders, keys and plots are its from now on.
  private select(actor: number) {
    const count = this.header?.controllers.length ?? 0;
    if (actor === this.stage.selected || actor >= count) return;
    this.stage.select(actor);
    this.attend(actor);
    this.fresh = true;
    toast(`Steering ${this.actors[actor].name} ${actor + 1} of ${count}.`);
    announce(`Character ${actor + 1} selected`);
  }

  private attend(actor: number) {
    const driver = this.header!.controllers[actor];
    this.graph.setDriver(driver);
    showLegend(driver);
    this.editor.attend(actor, driver, this.player === null);
    if (!this.player) this.controls.steerActor(actor, driver?.styles ?? []);
    this.plot(actor);
  }

  private plot(actor: number) {
    this.plotted = actor;
    this.plotActor.show(actor);
    if (this.player) {
      this.plots.setSamples(samplesOf(this.player.recording, actor));
      return;
    }
    if (this.live.samples?.actor !== actor) this.live.plot(actor);
    this.plots.setSamples(this.live.samples!);
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

  private throwBall() {
    if (this.canTouch) this.hand.throwAtTrunk();
  }

  private steer(speedSteps: number, headingSteps: number) {
    if (this.player) {
      if (headingSteps !== 0) this.seek(this.player.time - headingSteps);
      return;
    }
    const v = this.stage.sample?.comVelocity ?? [0, 0, 0];
    const actor = this.stage.selected, q = this.live.frame?.actors[actor]?.q;
    const heading = q ? headingOf(this.actors[actor], q) : 0;
    this.controls.nudge(speedSteps, headingSteps, Math.hypot(v[0], v[1]), heading);
  }

  // --- what is shown ---

  private showPace() {
    if (this.player || !this.status) return;
    this.transport.showPaused(this.status.paused);
    this.transport.showRate(this.status.rate);
  }

  private showMode() {
    const mode: Mode = {
      status: this.status,
      connected: this.connection?.ready ?? false,
      recording: this.player !== null,
      anyFrame: this.live.frame !== null,
      header: this.header,
      actor: this.stage.selected,
    };
    showMode(mode);
    this.graph.showStyle(isLive(mode) ? this.controls.command.style : null);
  }

  private tick(now: number) {
    const seconds = Math.min(0.25, (now - this.lastTick) / 1000);
    this.lastTick = now;
    if (this.player) this.showPlayer(this.player, seconds);
    else if (this.live.frame && this.fresh) this.showLive(this.live.frame);
    this.hand.update(now);
    this.plots.update(now, this.player ? this.player.time : null);
    this.stage.render(seconds);
    requestAnimationFrame((next) => this.tick(next));
  }

  private showLive(frame: Frame) {
    this.showFrame(frame);
    this.transport.showLive(frame.time);
  }

  private showPlayer(player: Player, seconds: number) {
    player.advance(seconds);
    this.transport.showPlayer(player);
    if (player.time === this.shownTime && !this.fresh) return;
    this.shownTime = player.time;
    const { fell, terrain } = pastOf(player.recording, player.time, this.stage.selected);
    byId('chip-fell').hidden = !fell;
    if (terrain !== this.shownTerrain) {
      this.shownTerrain = terrain;
      this.stage.setTerrain(terrain);
    }
    this.showFrame(player.frame());
  }

  private showFrame(frame: Frame) {
    this.fresh = false;
    this.stage.show(frame, this.actors);
    this.graph.show(frame.controls[this.stage.selected]);
    this.editor.showPhase(frame.controls[this.stage.selected]);
  }

  hook() {
    return hookOf({
      stage: this.stage, hand: this.hand, live: this.live, recordings: this.recordings,
      connection: () => this.connection, status: () => this.status, plotted: () => this.plotted,
      curves: () => this.editor.curves,
    });
  }
}
