import type { Player } from '../player';
import { byId, fillSlider, setText } from './dom';
import { setIcon } from './icons';

// The bar below the picture: pause, step, restart, the position in a recording, and the rate.

export const kRates = [0.05, 0.1, 0.25, 0.5, 1, 2, 4];
const kMarked = new Set(['fall', 'failed', 'push', 'throw', 'command', 'world']);

export interface TransportListener {
  togglePause(): void;
  step(frames: number): void;
  restart(): void;
  setRate(rate: number): void;
  seek(time: number): void;
  setLoop(on: boolean): void;
}

export class Transport {
  private readonly play = byId<HTMLButtonElement>('play');
  private readonly loop = byId('loop');
  private readonly scrub = byId<HTMLInputElement>('scrub');
  private readonly rate = byId<HTMLInputElement>('rate');
  private start = 0; // of the recording, s

  constructor(listener: TransportListener) {
    this.play.addEventListener('click', () => listener.togglePause());
    byId('step').addEventListener('click', () => listener.step(1));
    byId('restart').addEventListener('click', () => listener.restart());
    this.loop.addEventListener('click', () => listener.setLoop(this.loop.getAttribute('aria-pressed') !== 'true'));
    this.scrub.addEventListener('input', () => listener.seek(this.start + Number(this.scrub.value)));
    this.rate.addEventListener('input', () => {
      listener.setRate(kRates[Number(this.rate.value)]);
      this.showRate(kRates[Number(this.rate.value)]);
    });
    this.showRate(1);
  }

  showPaused(paused: boolean) {
    setIcon(this.play, paused ? 'play' : 'pause');
    const name = paused ? 'Play' : 'Pause';
    if (this.play.getAttribute('aria-label') === name) return;
    this.play.setAttribute('aria-label', name);
    this.play.title = `${name} (space)`;
  }

  showRate(rate: number) {
    const at = kRates.reduce((best, x, i) => (Math.abs(x - rate) < Math.abs(kRates[best] - rate) ? i : best), 0);
    if (!this.rate.matches(':active')) this.rate.value = String(at);
    fillSlider(this.rate);
    setText(byId('rate-value'), `${Number(rate.toFixed(2))}×`);
    this.rate.setAttribute('aria-valuetext', `${Number(rate.toFixed(2))} times real time`);
  }

  showLive(time: number) {
    setText(byId('clock'), `${time.toFixed(1)} s`);
  }

  // A recording begins, or (null) a live run.
  setPlayer(player: Player | null) {
    const recording = player !== null;
    byId('scrub-row').hidden = !recording;
    this.loop.hidden = !recording;
    document.querySelector('.transport')!.classList.toggle('wide-bar', recording);
    for (const element of document.querySelectorAll<HTMLElement>('.live-only')) element.hidden = recording;
    byId('step').title = recording ? 'One frame (.)' : 'One step (.)';
    if (!player) return;
    this.start = player.start;
    this.scrub.max = (player.end - player.start).toFixed(3);
    this.showRate(player.rate);
    const span = player.end - player.start || 1;
    byId('marks').replaceChildren(...player.recording.events.filter((event) => kMarked.has(event.kind)).map((event) => {
      const mark = document.createElement('i');
      mark.className = event.kind;
      mark.style.left = `${(100 * (event.time - player.start)) / span}%`;
      mark.title = `${event.kind} at ${event.time.toFixed(2)} s`;
      return mark;
    }));
  }

  showPlayer(player: Player) {
    this.showPaused(!player.playing);
    this.loop.setAttribute('aria-pressed', String(player.loop));
    if (!this.scrub.matches(':active')) this.scrub.value = String(player.time - player.start);
    fillSlider(this.scrub);
    const at = player.time - player.start, span = player.end - player.start;
    setText(byId('clock'), `${at.toFixed(1)} / ${span.toFixed(1)} s`);
    this.scrub.setAttribute('aria-valuetext', `${at.toFixed(1)} of ${span.toFixed(1)} seconds`);
  }
}
