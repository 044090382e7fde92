import type { Driver } from '../schema';
import { channelColor } from '../scene/marks';
import { byId } from './dom';

// What the marks of a controller's plans stand for.
export function showLegend(driver: Driver | undefined) {
  const drawn = (driver?.channels ?? []).filter((channel) => channel.values > 1);
  byId('legend').replaceChildren(...drawn.map((channel, i) => {
    const item = document.createElement('li');
    const dot = document.createElement('i');
    dot.style.background = `#${channelColor(i).toString(16).padStart(6, '0')}`;
    item.append(dot, channel.name);
    return item;
  }));
}
