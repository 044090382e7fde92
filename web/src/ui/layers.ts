import type { Layers } from '../scene/stage';
import { announce, byId } from './dom';

// The switches of what is drawn. Gives back what turns one of them.
export function setUpLayers(layers: Layers, changed: () => void): (name: keyof Layers) => void {
  const boxOf = (name: keyof Layers) => byId<HTMLInputElement>(`layer-${name}`);
  const set = (name: keyof Layers, on: boolean) => {
    layers[name] = on;
    changed();
  };
  for (const name of Object.keys(layers) as (keyof Layers)[]) {
    const box = boxOf(name);
    box.checked = layers[name];
    box.addEventListener('change', () => set(name, box.checked));
  }
  return (name) => {
    const box = boxOf(name);
    box.checked = !box.checked;
    set(name, box.checked);
    announce(`${box.nextElementSibling!.textContent}: ${box.checked ? 'on' : 'off'}`);
  };
}
