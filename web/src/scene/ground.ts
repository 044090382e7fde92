import * as THREE from 'three';
import type { Terrain } from '../schema';

// The ground with a grid in world coordinates, so that speed can be seen: lines every 0.25 m, fields
// of 1 m, strong lines every 5 m.

const kReach = 60; // m that the ground extends beyond what is interesting

export function heightAt(terrain: Terrain, x: number, y: number): number {
  if (terrain.kind === 'steps') {
    const { step_start = 1, step_depth = 0.3, step_rise = 0.1, step_count = 0 } = terrain;
    const passed = Math.floor((x - step_start) / step_depth) + 1;
    return step_rise * Math.min(step_count, Math.max(0, passed));
  }
  if (terrain.kind === 'plane') {
    const heading = terrain.slope_heading ?? 0;
    return Math.tan(terrain.slope ?? 0) * (x * Math.cos(heading) + y * Math.sin(heading));
  }
  const { x0 = 0, y0 = 0, cell = 0.1, nx = 0, ny = 0, heights = [] } = terrain;
  if (nx < 2 || ny < 2) return 0;
  const u = Math.min(nx - 1.000001, Math.max(0, (x - x0) / cell));
  const v = Math.min(ny - 1.000001, Math.max(0, (y - y0) / cell));
  const ix = Math.floor(u), iy = Math.floor(v), a = u - ix, b = v - iy;
  const h = (i: number, j: number) => heights[j * nx + i];
  return (1 - b) * ((1 - a) * h(ix, iy) + a * h(ix + 1, iy)) + b * ((1 - a) * h(ix, iy + 1) + a * h(ix + 1, iy + 1));
}

function stepsGeometry(terrain: Terrain): THREE.BufferGeometry {
  const { step_start = 1, step_depth = 0.3, step_rise = 0.1, step_count = 0 } = terrain;
  // The outline in x and z, extruded across.
  const outline: [number, number][] = [[step_start - kReach, 0], [step_start, 0]];
  for (let k = 1; k <= step_count; ++k) {
    const end = k === step_count ? step_start + k * step_depth + kReach : step_start + k * step_depth;
    outline.push([step_start + (k - 1) * step_depth, k * step_rise], [end, k * step_rise]);
  }
  const positions: number[] = [];
  for (let i = 0; i + 1 < outline.length; ++i) {
    const [[xa, za], [xb, zb]] = [outline[i], outline[i + 1]];
    const y = kReach;
    positions.push(xa, -y, za, xb, -y, zb, xb, y, zb, xa, -y, za, xb, y, zb, xa, y, za);
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.Float32BufferAttribute(positions, 3));
  geometry.computeVertexNormals();
  return geometry;
}

function fieldGeometry(terrain: Terrain): THREE.BufferGeometry {
  const { x0 = 0, y0 = 0, cell = 0.1, nx = 0, ny = 0 } = terrain;
  // One more row and column on each side: beyond its border the field stays as it is there.
  const xs = [x0 - kReach, ...Array.from({ length: nx }, (_, i) => x0 + i * cell), x0 + (nx - 1) * cell + kReach];
  const ys = [y0 - kReach, ...Array.from({ length: ny }, (_, i) => y0 + i * cell), y0 + (ny - 1) * cell + kReach];
  const positions: number[] = [];
  for (const y of ys) for (const x of xs) positions.push(x, y, heightAt(terrain, x, y));
  const index: number[] = [];
  for (let j = 0; j + 1 < ys.length; ++j) {
    for (let i = 0; i + 1 < xs.length; ++i) {
      const a = j * xs.length + i, b = a + xs.length;
      index.push(a, a + 1, b + 1, a, b + 1, b);
    }
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.Float32BufferAttribute(positions, 3));
  geometry.setIndex(index);
  geometry.computeVertexNormals();
  return geometry;
}

const kGrid = /* glsl */ `
  vec2 p = vWorld.xy;
  vec2 w = max(fwidth(p), vec2(1e-5));
  // How much of a pixel the lines of a cell cover; fades where cells get smaller than pixels.
  #define GRID(cell, half_width) (1.0 - smoothstep(0.15, 0.5, max(w.x, w.y) / cell)) * \
    (1.0 - min(smoothstep(half_width, half_width + 1.4 * w.x, abs(fract(p.x / cell - 0.5) - 0.5) * cell), \
               smoothstep(half_width, half_width + 1.4 * w.y, abs(fract(p.y / cell - 0.5) - 0.5) * cell)))
  float field = mod(floor(p.x) + floor(p.y), 2.0);
  field = mix(field, 0.5, smoothstep(0.1, 0.5, max(w.x, w.y)));
  vec3 ground = mix(uLight, uDark, field);
  ground = mix(ground, uLine, 0.55 * GRID(0.25, 0.002));
  ground = mix(ground, uLine, GRID(1.0, 0.005));
  ground = mix(ground, uStrong, GRID(5.0, 0.012));
  // Steep parts, such as the front of a step, are darker.
  float level = abs(normalize(cross(dFdx(vWorld), dFdy(vWorld))).z);
  diffuseColor.rgb = ground * (1.0 - 0.4 * smoothstep(0.3, 0.9, 1.0 - level));
`;

export class Ground {
  readonly mesh: THREE.Mesh;
  private readonly colors = {
    uLight: { value: new THREE.Color() },
    uDark: { value: new THREE.Color() },
    uLine: { value: new THREE.Color() },
    uStrong: { value: new THREE.Color() },
  };
  private terrain: Terrain = { kind: 'plane' };

  constructor() {
    const material = new THREE.MeshLambertMaterial({ side: THREE.DoubleSide });
    material.onBeforeCompile = (shader) => {
      Object.assign(shader.uniforms, this.colors);
      shader.vertexShader = shader.vertexShader
        .replace('#include <common>', '#include <common>\nvarying vec3 vWorld;')
        .replace('#include <begin_vertex>',
          '#include <begin_vertex>\nvWorld = (modelMatrix * vec4(transformed, 1.0)).xyz;');
      shader.fragmentShader = shader.fragmentShader
        .replace('#include <common>',
          '#include <common>\nvarying vec3 vWorld;\nuniform vec3 uLight, uDark, uLine, uStrong;')
        .replace('#include <color_fragment>', kGrid);
    };
    this.mesh = new THREE.Mesh(new THREE.BufferGeometry(), material);
    this.mesh.receiveShadow = true;
    this.mesh.frustumCulled = false;
    this.setTerrain(this.terrain);
  }

  setColors(light: string, dark: string, line: string, strong: string) {
    this.colors.uLight.value.set(light);
    this.colors.uDark.value.set(dark);
    this.colors.uLine.value.set(line);
    this.colors.uStrong.value.set(strong);
  }

  setTerrain(terrain: Terrain) {
    this.terrain = terrain;
    this.mesh.geometry.dispose();
    this.mesh.position.set(0, 0, 0);
    this.mesh.quaternion.identity();
    if (terrain.kind === 'steps') {
      this.mesh.geometry = stepsGeometry(terrain);
    } else if (terrain.kind !== 'plane') {
      this.mesh.geometry = fieldGeometry(terrain);
    } else {
      this.mesh.geometry = new THREE.PlaneGeometry(2 * kReach, 2 * kReach);
      const slope = terrain.slope ?? 0, heading = terrain.slope_heading ?? 0;
      const axis = new THREE.Vector3(Math.sin(heading), -Math.cos(heading), 0);
      this.mesh.quaternion.setFromAxisAngle(axis, slope);
    }
  }

  height(x: number, y: number): number {
    return heightAt(this.terrain, x, y);
  }

  // A plane has no end: it goes along.
  follow(x: number, y: number) {
    if (this.terrain.kind === 'plane') this.mesh.position.set(x, y, this.height(x, y));
  }
}
