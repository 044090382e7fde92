// A stand-in for the program: hand-made chunks of a small figure, for what the real one shows rarely
// (styles, plans, a machine that is too slow, a lost connection).

const kCrc = Array.from({ length: 256 }, (_, i) => {
  let c = i;
  for (let k = 0; k < 8; ++k) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c >>> 0;
});

export function crc32(bytes) {
  let c = 0xffffffff;
  for (const byte of bytes) c = kCrc[(c ^ byte) & 255] ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
}

export function chunk(type, payload) {
  const bytes = Buffer.alloc(12 + payload.length);
  bytes.write(type, 0, 'latin1');
  bytes.writeUInt32LE(payload.length, 4);
  payload.copy(bytes, 8);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, -4)), bytes.length - 4);
  return bytes;
}

export const jsonChunk = (type, json) => chunk(type, Buffer.from(JSON.stringify(json)));

export const preamble = (version = 2) => Buffer.concat([Buffer.from('STRIDEREC'), Buffer.from([version, 0, 0, 0])]);

function body(name, parent, offset, kind, mass, shapes, axis = [0, 1, 0]) {
  const com = shapes[0].center;
  return { name, parent, offset, joint: { kind, axis }, mass, com, inertia: [1, 1, 1, 0, 0, 0], shapes };
}
const capsule = (radius, half, center) =>
  ({ kind: 'capsule', center, rotation: [1, 0, 0, 0], size: [radius, half, 0], collides: true });
const box = (size, center) => ({ kind: 'box', center, rotation: [1, 0, 0, 0], size, collides: true });
const sphere = (radius, center) => ({ kind: 'sphere', center, rotation: [1, 0, 0, 0], size: [radius, 0, 0], collides: true });

export function figure() {
  const bodies = [
    body('pelvis', -1, [0, 0, 0.95], 'free', 12, [box([0.09, 0.14, 0.08], [0, 0, 0])]),
    body('trunk', 0, [0, 0, 0.1], 'ball', 28, [box([0.1, 0.16, 0.22], [0, 0, 0.24])]),
    body('head', 1, [0, 0, 0.5], 'ball', 5, [sphere(0.11, [0, 0, 0.12])]),
  ];
  const roles = { pelvis: 0, trunk: 1, head: 2 };
  for (const [side, y] of [['left', 1], ['right', -1]]) {
    const first = bodies.length;
    bodies.push(body(`${side} thigh`, 0, [0, 0.1 * y, -0.05], 'ball', 8, [capsule(0.065, 0.16, [0, 0, -0.2])]));
    bodies.push(body(`${side} shank`, first, [0, 0, -0.42], 'hinge', 4, [capsule(0.05, 0.17, [0, 0, -0.2])]));
    bodies.push(body(`${side} foot`, first + 1, [0, 0, -0.42], 'hinge', 1, [box([0.12, 0.045, 0.03], [0.06, 0, -0.03])]));
    bodies.push(body(`${side} upper arm`, 1, [0, 0.21 * y, 0.42], 'ball', 2, [capsule(0.042, 0.11, [0, 0, -0.14])]));
    bodies.push(body(`${side} forearm`, first + 3, [0, 0, -0.28], 'hinge', 1.5, [capsule(0.035, 0.11, [0, 0, -0.13])]));
    Object.assign(roles, {
      [`${side}_thigh`]: first, [`${side}_shank`]: first + 1, [`${side}_foot`]: first + 2,
      [`${side}_upper_arm`]: first + 3, [`${side}_forearm`]: first + 4,
    });
  }
  return { name: 'figure', description: 'hand-made', bodies, contact_points: [], roles, rest_q: pose(bodies, 0) };
}

const about = (angle) => [Math.cos(angle / 2), 0, Math.sin(angle / 2), 0];

// A stroll at 1.2 m/s: no physics, but it looks like one.
function pose(bodies, t) {
  const q = [];
  for (const { name, joint } of bodies) {
    const side = name.startsWith('left') ? 1 : -1;
    const swing = t === 0 ? 0 : side * Math.sin(6 * t);
    if (joint.kind === 'free') q.push(1.2 * t, 0, 0.95 + 0.015 * Math.cos(12 * t), 1, 0, 0, 0);
    else if (name.endsWith('thigh')) q.push(...about(-0.45 * swing));
    else if (name.endsWith('upper arm')) q.push(...about(0.4 * swing));
    else if (name.endsWith('shank')) q.push(t === 0 ? 0 : 0.35 + 0.3 * side * Math.cos(6 * t));
    else if (name.endsWith('forearm')) q.push(-0.4);
    else if (joint.kind === 'hinge') q.push(0);
    else q.push(1, 0, 0, 0);
  }
  return q;
}

const kChannels = [
  { name: 'phase', unit: '', values: 1 },
  { name: 'balance left', unit: 'rad', values: 1 },
  { name: 'balance right', unit: 'rad', values: 1 },
  { name: 'planned footstep', unit: 'm', values: 3 },
  { name: 'pendulum', unit: 'm', values: 6 },
];

const stroll = { controller: 'stroll', motion: 'walk', skill: '', channels: kChannels, styles: ['calm', 'proud', 'tired'] };

// `driver`: changes of who drives the first figure; `others`: who drives further ones.
export function header(driver = {}, others = [], title = '') {
  return {
    title, engine: 'native', seed: 1, stride: '0', frame_interval: 1 / 60, setup: null,
    controllers: [{ ...stroll, ...driver }, ...others.map((other) => ({ ...stroll, ...other }))],
    world: {
      terrain: { kind: 'plane', slope: 0, slope_heading: 0 }, friction: 0.9, gravity: 9.81, time_step: 0.005,
      actors: [figure(), ...others.map(figure)],
    },
  };
}

// As version 1 had it: the only driver's keys among the header's own.
export function headerOfVersion1(driver = {}) {
  const { controllers, ...rest } = header();
  const { skill, ...first } = controllers[0];
  return { ...rest, ...first, ...driver };
}

// A driver with a graph of what it can do; its frames have two channels: where in it, and whether it lies.
export const graphRun = {
  channels: [{ name: 'place', unit: 'node', values: 1 }, { name: 'down', unit: 's', values: 1 }],
  styles: ['as told', 'anything', 'stand', 'walk', '<b>kick</b>'],
  graph: {
    nodes: [
      { name: 'stand', style: 2, robustness: 1 }, { name: 'walk', style: 3, robustness: 0.8 },
      { name: '<b>kick</b>', style: 4, robustness: 0.1 }, { name: 'get_up', style: 0, robustness: null },
    ],
    links: [
      { from: 0, to: 1, robustness: 0.9 }, { from: 1, to: 0, robustness: null }, { from: 0, to: 2, robustness: 0.2 },
      { from: 2, to: 0, robustness: 0.2 }, { from: 3, to: 0, robustness: 0.7 },
    ],
    node_channel: 'place', down_channel: 'down',
  },
};

// `count` figures, each a metre to the left of the one before and half as strong.
export function frame(t, command = {}, channels, count = 1, version = 2) {
  const { bodies } = figure();
  const nv = bodies.reduce((n, { joint }) => n + { free: 6, ball: 3, hinge: 1 }[joint.kind], 0);
  const parts = [];
  const u16 = (x) => { const b = Buffer.alloc(2); b.writeInt16LE(x); parts.push(b); };
  const f32 = (...xs) => xs.forEach((x) => { const b = Buffer.alloc(4); b.writeFloatLE(x); parts.push(b); });
  const f64 = (...xs) => xs.forEach((x) => { const b = Buffer.alloc(8); b.writeDoubleLE(x); parts.push(b); });
  const aside = (q, actor) => { q[1] = actor; return q; };
  const x = 1.2 * t, foot = 0.62 * (Math.floor(x / 0.62) + 1);
  const thoughts = channels ?? [(t * 0.95) % 1, 0.1 * Math.sin(6 * t), 0.08 * Math.cos(6 * t), foot, 0.1, 0, foot - 0.3, 0, 0, x, 0, 1.0];
  const told = (actor) => {
    const { speed, heading, style } = actor === 0 ? command : {};
    f32(speed ?? NaN, heading ?? NaN);
    u16(style ?? 0);
    f32(...thoughts);
  };
  const u32 = Buffer.alloc(4);
  u32.writeUInt32LE(Math.round(t / 0.005));
  parts.push(u32);
  f64(t);
  u16(count);
  for (let actor = 0; actor < count; ++actor) {
    const v = new Array(nv).fill(0);
    v[0] = 1.2;
    f64(...aside(pose(bodies, t + 1e-6), actor), ...v);
  }
  for (let actor = 0; actor < (version === 1 ? 1 : count); ++actor) {
    parts.push(Buffer.from([version === 1 ? 2 : 6]));
    f64(...aside(pose(bodies, t + 0.06), actor));
    if (version === 1) continue;
    f32(...Array.from({ length: nv }, (_, i) => (i < 6 ? 0 : i / 2 ** actor)));
    told(actor);
  }
  const left = Math.sin(6 * t) < 0;
  u16(1);
  u16(0); u16(left ? 5 : 10); u16(-1); u16(-1);
  f32(x, left ? 0.1 : -0.1, 0); f32(60 * Math.cos(6 * t), 0, 620 + 120 * Math.cos(12 * t));
  const pushed = t % 4 > 3.2;
  u16(pushed ? 1 : 0);
  if (pushed) { u16(0); u16(1); f32(x, 0.16, 1.3); f32(0, -250, 0); }
  if (version === 1) told(0);
  return chunk('FRAM', Buffer.concat(parts));
}

export function recording(seconds) {
  const parts = [preamble(), jsonChunk('HEAD', header({}, [], 'a stroll'))];
  for (let t = 0; t <= seconds; t += 1 / 60) parts.push(frame(t));
  parts.push(jsonChunk('EVNT', { step: 200, time: 1, kind: 'push', data: {} }));
  parts.push(jsonChunk('EVNT', { step: 400, time: 0.8 * seconds, kind: 'fall', data: {} }));
  parts.push(jsonChunk('DONE', {}));
  return Buffer.concat(parts);
}

export const catalog = {
  type: 'catalog',
  characters: [{ name: 'figure', description: 'hand-made' }, { name: 'biped', description: '' }],
  controllers: [
    { name: 'stroll', description: 'Walks on, whatever happens', min_motions: 1, max_motions: 1 },
    { name: 'hold', description: '', min_motions: 0, max_motions: 0 },
  ],
  engines: [{ name: 'native', description: '' }, { name: 'mujoco', description: '' }],
  motions: [{ name: 'run', description: '' }, { name: 'walk', description: 'walk at 1.25 m/s' }],
  skills: [{ name: 'walk-on', description: '' }],
};

export function status(change = {}) {
  return {
    type: 'status', mode: 'live', opened: 0, paused: false, rate: 1, time: 0, realtime: 1, late: false, missed: 0, fell: false, falls: 0, takes_files: false,
    obeys: { speed: true, heading: true },
    recording: false, recorded_seconds: 0, downloadable: false,
    setup: { character: 'figure', engine: 'native', controller: 'stroll', motions: ['walk'], skill: null, friction: 0.9, slope_deg: 0, seed: 1 },
    command: { speed: null, heading: null, style: 0, point: null }, others: [], styles: ['calm', 'proud', 'tired'],
    metrics: { seconds: 4.2, distance: 5.1, speed: 1.21, steps: 8, tracking_error_deg: 3.4, joint_power: 212 },
    server_load: 0.01, clients: 1, ...change,
  };
}

// Curves of two legs that alternate, and of a spine with feedback, as the program sends them.
export function curves() {
  const leg = (name, mirror, shift) => ({
    name, unit: 'rad', body: 3, axis: 0, low: -1, high: 1, rest: 0, mirror, mirror_sign: 1, mirror_shift: 0.5, mirror_reverses: false,
    sensor: 'roll', layers: [-0.3, 0, 0.3], seconds: { blend_in: 0.5, cycle: 1, blend_out: 1 },
    blend_in: { times: [0.3, 0.7], values: [0, 0] },
    cycle: { times: [0, 0.25, 0.5, 0.75], values: [-0.1, 0, 0.1].flatMap((more) => [0, 0.25, 0.5, 0.75].map((t) => 0.4 * Math.sin(2 * Math.PI * (t + shift)) + more)) },
    blend_out: { times: [], values: [] },
  });
  return [leg('left_thigh', 1, 0), leg('right_thigh', 0, 0.5)];
}

// Answers for a page of playwright: the page itself from `html`, and a program that strolls. What the
// page says is in `said`; `tell` sends a status.
export async function playFake(page, html) {
  const fake = { said: [], posted: [], change: {}, start: Date.now(), dead: false, curves: [] };
  const address = 'http://stride.test/';
  await page.route('http://stride.test/**', (route) => {
    const request = route.request();
    if (request.method() === 'GET') return route.fulfill({ contentType: 'text/html', body: html });
    fake.posted.push({ url: request.url(), body: request.postData() });
    return route.fulfill(fake.answer ?? { status: 200, body: 'it is performed' });
  });
  await page.routeWebSocket('ws://stride.test/ws', (socket) => {
    if (fake.dead) return socket.close();
    socket.send(JSON.stringify(catalog));
    socket.send(JSON.stringify(status(fake.change)));
    socket.send(jsonChunk('HEAD', header()));
    const timer = setInterval(() => {
      if (!fake.change.paused) socket.send(frame((Date.now() - fake.start) / 1000, fake.change.command, fake.channels));
    }, 1000 / 60);
    socket.onClose(() => clearInterval(timer));
    fake.end = () => clearInterval(timer);
    fake.stop = () => { clearInterval(timer); fake.dead = true; return socket.close(); };
    socket.onMessage((text) => {
      const message = JSON.parse(text);
      fake.said.push(message);
      if (message.type === 'command') fake.tell({ command: { speed: message.speed, heading: message.heading, style: message.style, point: message.point } });
      if (message.type === 'pause') fake.tell({ paused: message.on });
      if (message.type === 'curve') {
        fake.curves[message.curve][message.part] = { times: message.times, values: message.values };
        fake.sendCurves();
      }
    });
    fake.send = (bytes) => socket.send(bytes);
    fake.sendCurves = () => socket.send(JSON.stringify({ type: 'curves', actor: 0, curves: fake.curves }));
    fake.sendCurves();
    fake.tell = (change) => {
      Object.assign(fake.change, change);
      socket.send(JSON.stringify(status(fake.change)));
    };
  });
  await page.goto(address);
  return fake;
}
