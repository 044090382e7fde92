// The real program, serving the viewer.
import { spawn } from 'node:child_process';

export async function startProgram(binary, args = []) {
  const child = spawn(binary, ['view', '--no-browser', '--port', '0', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  const address = await new Promise((resolve, reject) => {
    const listen = (data) => {
      said += data;
      const match = /viewer: (http:\/\/\S+)/.exec(said);
      if (match) resolve(match[1]);
    };
    child.stdout.on('data', listen);
    child.stderr.on('data', listen);
    child.on('error', reject);
    child.on('exit', (code) => reject(new Error(`${binary} ended with ${code} before it served:\n${said}`)));
  });
  return {
    address,
    stop: () => new Promise((resolve) => {
      if (child.exitCode !== null) return resolve();
      child.on('exit', resolve);
      child.kill('SIGTERM');
    }),
  };
}
