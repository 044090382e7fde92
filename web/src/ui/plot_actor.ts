import type { Header } from '../schema';
import { byId } from './dom';

// Whose numbers are plotted, where several are driven.
export class PlotActor {
  private readonly select = byId<HTMLSelectElement>('plot-actor');

  constructor(choose: (actor: number) => void) {
    this.select.addEventListener('change', () => choose(Number(this.select.value)));
  }

  setHeader(header: Header) {
    const count = header.controllers.length;
    byId('plot-actor-choice').hidden = count < 2;
    this.select.replaceChildren(...header.controllers.map((driver, actor) =>
      new Option(`${actor + 1}: ${header.world.actors[actor].name}, ${driver.skill || driver.controller}`, String(actor))));
  }

  show(actor: number) {
    this.select.value = String(actor);
  }
}
