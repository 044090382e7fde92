import './page';
import './style.css';
import { Viewer } from './viewer';
import { byId } from './ui/dom';
import { placeIcons } from './ui/icons';

placeIcons();
if (document.createElement('canvas').getContext('webgl2')) {
  // For tests, and for the curious in the console.
  (window as unknown as { stride: unknown }).stride = new Viewer().hook();
} else {
  const banner = byId('banner');
  banner.textContent = 'This browser cannot draw in 3D: the viewer needs WebGL 2. Turn on hardware acceleration, or try another browser.';
  banner.classList.add('bad');
  banner.hidden = false;
}
