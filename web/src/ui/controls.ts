import type { Catalog, Command, Named, Obeys, Status } from '../connection';
import { announce, byId, fillSlider, setSlider, setText, toast } from './dom';
import { withoutFolder } from './texts';

// The controls of a live run. What is shown comes from the program's status, so that two pages of
// one run agree; what is touched is sent.

type Send = (message: Record<string, unknown>) => void;

const kDegrees = 180 / Math.PI;
const kSpeedStep = 0.1;   // m/s a key
const kHeadingStep = 10;  // degrees a key
const kHold = 400;        // ms in which the status does not move a slider that was just moved
const kChoiceHold = 1500; // ms in which it does not take back a choice: a run takes a while to make
const kChoices = ['character', 'controller', 'motion', 'skill', 'engine'];

export class Controls {
  ballMass = 2; // kg
  command: Command = { speed: null, heading: null, style: 0, point: null };
  private actor = 0; // who is steered
  private status: Status | null = null;
  private catalog: Catalog | null = null;
  private setup: Status['setup'] | null = null;
  private styles: string[] = [];
  private touched = 0; // when the command was last changed here
  private groundTouched = 0;
  private chosen = -Infinity; // when a choice was last made here
  private obeys: Obeys = { speed: true, heading: true };
  private readonly speed = byId<HTMLInputElement>('speed');
  private readonly heading = byId<HTMLInputElement>('heading');
  private readonly slope = byId<HTMLInputElement>('slope');
  private readonly friction = byId<HTMLInputElement>('friction');
  private readonly ball = byId<HTMLInputElement>('ball');

  constructor(private readonly send: Send) {
    this.speed.addEventListener('input', () => this.steer({ speed: Number(this.speed.value) }));
    this.heading.addEventListener('input', () => this.steer({ heading: Number(this.heading.value) / kDegrees, point: null }));
    byId('speed-free').addEventListener('click', () => this.steer({ speed: null }));
    byId('heading-free').addEventListener('click', () => this.steer({ heading: null, point: null }));
    this.slope.addEventListener('input', () => {
      this.groundTouched = performance.now();
      this.send({ type: 'slope', value_deg: Number(this.slope.value) });
      this.showGround(Number(this.slope.value), Number(this.friction.value));
    });
    this.friction.addEventListener('input', () => {
      this.groundTouched = performance.now();
      this.send({ type: 'friction', value: Number(this.friction.value) });
      this.showGround(Number(this.slope.value), Number(this.friction.value));
    });
    this.ball.addEventListener('input', () => {
      this.ballMass = Number(this.ball.value);
      setText(byId('ball-value'), `${this.ballMass} kg`);
      fillSlider(this.ball);
    });
    for (const name of kChoices) {
      const select = byId<HTMLSelectElement>(name);
      select.addEventListener('change', () => this.choose(name, select.value === '' ? null : select.value));
    }
    const watch = byId<HTMLSelectElement>('watch');
    watch.addEventListener('change', () => {
      if (watch.value !== '') this.send({ type: 'play', motion: watch.value });
    });
    for (const slider of [this.speed, this.heading, this.slope, this.friction, this.ball]) fillSlider(slider);
  }

  private choose(name: string, value: string | null) {
    this.chosen = performance.now();
    const message: Record<string, unknown> = { type: 'setup', [name]: value };
    if (name === 'controller') {
      // A controller that follows motions needs one; one that does not must not have any.
      const entry = this.catalog?.controllers.find((controller) => controller.name === value);
      const motion = this.setup?.motions[0] ?? null;
      if (entry?.max_motions === 0) message.motion = null;
      else if (entry && entry.min_motions > 0 && motion === null) message.motion = this.defaultMotion();
    }
    this.send(message);
  }

  private defaultMotion(): string | null {
    const motions = this.catalog?.motions ?? [];
    return (motions.find((motion) => motion.name === 'walk') ?? motions[0])?.name ?? null;
  }

  steer(change: Partial<Command>) {
    if (change.speed != null && !this.obeys.speed) return this.notObeyed('speed');
    if ((change.heading != null || change.point != null) && !this.obeys.heading) return this.notObeyed('heading');
    this.command = { ...this.command, ...change };
    this.touched = performance.now();
    this.send({ type: 'command', actor: this.actor, ...this.command });
    this.showCommand();
  }

  // Said, rather than sent and ignored.
  private notObeyed(what: string) {
    toast(`${this.setup?.controller ?? 'The controller'} takes no ${what}: choose a skill that does.`);
    announce(`Takes no ${what}`);
  }

  // The sliders and keys are this character's from now on. `styles`: those of its controller.
  steerActor(actor: number, styles: string[]) {
    this.actor = actor;
    this.touched = 0;
    this.showStyles(styles);
    if (this.status) this.setStatus(this.status);
  }

  // One press of a key. `speed`, `heading`: the character's own, where none is commanded yet.
  nudge(speedSteps: number, headingSteps: number, speed: number, heading: number) {
    if (speedSteps !== 0) {
      const from = this.command.speed ?? Math.round(speed / kSpeedStep) * kSpeedStep;
      const next = from + speedSteps * kSpeedStep;
      this.steer({ speed: Number(Math.min(4, Math.max(-1, next)).toFixed(2)) });
    }
    if (headingSteps !== 0) {
      const from = this.command.heading === null
        ? Math.round((heading * kDegrees) / kHeadingStep) * kHeadingStep
        : Math.round(this.command.heading * kDegrees);
      const degrees = from + headingSteps * kHeadingStep;
      this.steer({ heading: ((((degrees + 180) % 360) + 360) % 360 - 180) / kDegrees, point: null });
    }
  }

  chooseStyle(style: number) {
    if (style < this.styles.length) this.steer({ style });
  }

  setCatalog(catalog: Catalog) {
    this.catalog = catalog;
    const named = (entries: (Named | string)[]) =>
      entries.map((entry) => (typeof entry === 'string' ? { name: entry } : entry));
    fill('character', named(catalog.characters));
    fill('controller', catalog.controllers);
    fill('engine', named(catalog.engines));
    fill('motion', catalog.motions, 'none');
    fill('skill', catalog.skills, 'none');
    fill('watch', catalog.motions, 'choose one');
    byId('skill').parentElement!.hidden = catalog.skills.length === 0;
  }

  setStatus(status: Status) {
    const { setup } = status;
    this.status = status;
    this.setup = setup;
    this.showSetup(false);
    this.showObeyed((this.actor === 0 ? status.obeys : status.others[this.actor - 1]?.obeys) ?? { speed: true, heading: true });
    if (status.mode === 'live') byId<HTMLSelectElement>('watch').value = '';
    const entry = this.catalog?.controllers.find((controller) => controller.name === setup.controller);
    const motion = byId<HTMLSelectElement>('motion');
    motion.disabled = entry?.max_motions === 0;
    motion.title = motion.disabled ? `${setup.controller} follows no motion` : '';
    setText(byId('choice-note'), entry?.description ?? '');
    const now = performance.now();
    if (now - this.touched > kHold) {
      this.command = { ...(status.others[this.actor - 1]?.command ?? status.command) };
      this.showCommand();
    }
    if (now - this.groundTouched > kHold) this.showGround(setup.slope_deg, setup.friction);
  }

  // The choices as they are. `refused`: also one that was just made here.
  showSetup(refused: boolean) {
    const { setup } = this;
    if (!setup) return;
    if (refused) this.chosen = -Infinity;
    const since = performance.now() - this.chosen;
    if (since < kChoiceHold) return;
    const shown: Record<string, string> = {
      character: setup.character, controller: setup.controller, engine: setup.engine, motion: setup.motions[0] ?? '', skill: setup.skill ?? '',
    };
    // Nothing is taken from under the hand of somebody who chooses; what was chosen is shown as it came out.
    for (const name of kChoices) select(name, shown[name], refused || Number.isFinite(since));
    this.chosen = -Infinity;
  }

  private showObeyed(obeys: Obeys) {
    this.obeys = obeys;
    for (const name of ['speed', 'heading'] as const) {
      const slider = this[name];
      slider.disabled = !obeys[name];
      slider.title = obeys[name] ? '' : `${this.setup?.controller} takes no ${name}`;
      slider.parentElement!.classList.toggle('idle', !obeys[name]);
    }
  }

  // A slope tilts a plane, and nothing else.
  setGround(kind: string) {
    this.slope.disabled = kind !== 'plane';
    this.slope.title = this.slope.disabled ? 'Only a plane can be tilted' : '';
    this.slope.parentElement!.classList.toggle('idle', this.slope.disabled);
  }

  private showCommand() {
    const { speed, heading, style, point } = this.command;
    const direction = point ? `to ${point.map((x) => x.toFixed(1)).join(', ')} m` : heading === null ? 'free' : headingText(heading * kDegrees);
    setText(byId('speed-value'), !this.obeys.speed ? 'not obeyed' : speed === null ? 'free' : `${speed.toFixed(1)} m/s`);
    setText(byId('heading-value'), this.obeys.heading ? direction : 'not obeyed');
    byId<HTMLButtonElement>('speed-free').disabled = speed === null;
    byId<HTMLButtonElement>('heading-free').disabled = heading === null && !point;
    setSlider(this.speed, speed ?? 0);
    setSlider(this.heading, Math.round((heading ?? 0) * kDegrees));
    this.heading.setAttribute('aria-valuetext', direction);
    this.speed.setAttribute('aria-valuetext', speed === null ? 'free' : `${speed.toFixed(1)} metres a second`);
    byId('styles').querySelectorAll('button').forEach((button, i) => {
      button.setAttribute('aria-checked', String(i === style));
    });
  }

  private showGround(slope: number, friction: number) {
    setText(byId('slope-value'), `${Math.round(slope)}°`);
    setText(byId('friction-value'), friction.toFixed(2));
    setSlider(this.slope, slope);
    setSlider(this.friction, friction);
  }

  private showStyles(styles: string[]) {
    if (styles.join('\n') === this.styles.join('\n')) return;
    this.styles = styles;
    const home = byId('styles');
    home.hidden = styles.length === 0;
    home.replaceChildren(...styles.map((style, i) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.setAttribute('role', 'radio');
      button.textContent = style;
      button.title = i < 9 ? `Key ${i + 1}` : '';
      button.addEventListener('click', () => this.chooseStyle(i));
      return button;
    }));
    this.showCommand();
  }
}

function headingText(degrees: number): string {
  const rounded = Math.round(degrees);
  return rounded === 0 ? '0°' : `${Math.abs(rounded)}° ${rounded > 0 ? 'left' : 'right'}`;
}

function fill(id: string, entries: Named[], none?: string) {
  const options = entries.map(({ name, description }) => {
    const option = new Option(name, name);
    option.title = description ?? '';
    return option;
  });
  if (none !== undefined) options.unshift(new Option(none, ''));
  byId<HTMLSelectElement>(id).replaceChildren(...options);
}

function select(id: string, value: string, evenIfFocused: boolean) {
  const element = byId<HTMLSelectElement>(id);
  // A file is in no list.
  if (value !== '' && ![...element.options].some((option) => option.value === value)) {
    element.append(new Option(withoutFolder(value), value));
  }
  if (evenIfFocused || document.activeElement !== element) element.value = value;
}
