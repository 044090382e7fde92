// PNG with a palette of 256 colours: a third of the size, and hard to tell apart.
import { deflateSync } from 'node:zlib';
import { crc32 } from './fake.mjs';

function pngChunk([type, data]) {
  const bytes = Buffer.alloc(12 + data.length);
  bytes.writeUInt32BE(data.length, 0);
  bytes.write(type, 4, 'latin1');
  data.copy(bytes, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, -4)), bytes.length - 4);
  return bytes;
}

// Colours that fit best: boxes of colours are cut in two where they are widest, until there are 256.
function palette(colors) { // [r, g, b, count] each
  const boxes = [colors];
  while (boxes.length < 256) {
    let best = -1, axis = 0, score = 0;
    boxes.forEach((box, i) => {
      for (let k = 0; k < 3; ++k) {
        let low = 255, high = 0, count = 0;
        for (const color of box) {
          low = Math.min(low, color[k]);
          high = Math.max(high, color[k]);
          count += color[3];
        }
        const worth = (high - low) * Math.sqrt(count);
        if (high > low && worth > score) [best, axis, score] = [i, k, worth];
      }
    });
    if (best < 0) break;
    const box = boxes[best].sort((a, b) => a[axis] - b[axis]);
    const half = box.reduce((sum, color) => sum + color[3], 0) / 2;
    let at = 0;
    for (let sum = 0; at < box.length - 1 && sum + box[at][3] <= half; ++at) sum += box[at][3];
    at = Math.max(1, at);
    boxes.splice(best, 1, box.slice(0, at), box.slice(at));
  }
  return boxes;
}

// `page`: any page, which decodes the picture.
export async function smallPng(page, png) {
  const { width, height, base64 } = await page.evaluate(async (source) => {
    const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${source}`)).blob());
    const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, image.width, image.height);
    let text = '';
    for (let at = 0; at < data.length; at += 0x6000) text += btoa(String.fromCharCode(...data.subarray(at, at + 0x6000)));
    return { width: image.width, height: image.height, base64: text };
  }, png.toString('base64'));
  const pixels = Buffer.from(base64, 'base64');
  const key = (i) => (pixels[i] << 16) | (pixels[i + 1] << 8) | pixels[i + 2];
  const counts = new Map();
  for (let i = 0; i < pixels.length; i += 4) counts.set(key(i), (counts.get(key(i)) ?? 0) + 1);
  const boxes = palette([...counts].map(([c, count]) => [c >> 16, (c >> 8) & 255, c & 255, count]));
  const table = Buffer.alloc(3 * boxes.length);
  const index = new Map();
  boxes.forEach((box, i) => {
    const total = box.reduce((sum, color) => sum + color[3], 0);
    for (let k = 0; k < 3; ++k) table[3 * i + k] = Math.round(box.reduce((sum, color) => sum + color[k] * color[3], 0) / total);
    for (const [r, g, b] of box) index.set((r << 16) | (g << 8) | b, i);
  });
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; ++y) {
    for (let x = 0; x < width; ++x) rows[y * (width + 1) + 1 + x] = index.get(key(4 * (y * width + x)));
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    ...[['IHDR', head], ['PLTE', table], ['IDAT', deflateSync(rows, { level: 9 })], ['IEND', Buffer.alloc(0)]].map(pngChunk),
  ]);
}
