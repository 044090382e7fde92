// The page as a file: what it was before any script changed it. Imported first.
const source = `<!doctype html>\n${document.documentElement.outerHTML}`;

const kRecordingId = 'stride-recording';

// A recording that was put into this page by the share button.
export interface Inlined {
  name: string;
  base64: string;
}

export function inlinedRecording(): Inlined | null {
  const element = document.getElementById(kRecordingId);
  return element ? { name: element.dataset.name ?? 'recording', base64: element.textContent ?? '' } : null;
}

async function through(bytes: Uint8Array, stream: CompressionStream | DecompressionStream): Promise<Uint8Array> {
  const piped = new Blob([bytes as BlobPart]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(piped).arrayBuffer());
}

export async function unpack(base64: string): Promise<Uint8Array> {
  const text = atob(base64.trim());
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  return through(bytes, new DecompressionStream('gzip'));
}

function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 0x6000) { // a multiple of 3
    text += btoa(String.fromCharCode(...bytes.subarray(at, at + 0x6000)));
  }
  return text;
}

const escapeAttribute = (text: string) =>
  text.replace(/[&"<>]/g, (c) => ({ '&': '&amp;', '"': '&quot;', '<': '&lt;', '>': '&gt;' })[c]!);

// This page with a recording inside: one file that plays wherever it is opened.
export async function pageWith(recording: Uint8Array, name: string): Promise<string> {
  const packed = toBase64(await through(recording, new CompressionStream('gzip')));
  const tag = `<script type="application/octet-stream" id="${kRecordingId}" data-name="${escapeAttribute(name)}">`;
  const old = new RegExp(`<script[^>]*id="${kRecordingId}"[^>]*>[^<]*</script>`);
  const clean = source.replace(old, '');
  const end = clean.lastIndexOf('</body>');
  return `${clean.slice(0, end)}${tag}${packed}</script>${clean.slice(end)}`;
}

export function saveFile(content: BlobPart, name: string, type: string) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
