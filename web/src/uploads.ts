import { failed, toast } from './ui/dom';

// Files that the program performs: captures, skills and motions.

const kMark = 'STRIDEREC';

export async function isRecording(file: File): Promise<boolean> {
  return await file.slice(0, kMark.length).text() === kMark;
}

// True if it is performed.
export async function performFile(address: (path: string, query: Record<string, string>) => string, file: File): Promise<boolean> {
  toast(`Reading ${file.name} …`);
  try {
    const name = file.name.replace(/[^\w.-]+/g, '_').slice(-60);
    const response = await fetch(address('/perform', { name }), { method: 'POST', body: file });
    if (!response.ok) throw new Error((await response.text()).trim());
    toast(`${file.name} is performed.`);
    return true;
  } catch (error) {
    failed(`${file.name} cannot be performed`, error);
    return false;
  }
}
