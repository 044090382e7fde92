import { byId } from './dom';
import { setUpMenu } from './menus';

// Files in and out: the open button, a drop on the page, the download menu and the share button.

export function setUpOpening(open: (file: File) => void) {
  const input = byId<HTMLInputElement>('file');
  for (const id of ['open', 'empty-open']) byId(id).addEventListener('click', () => input.click());
  input.addEventListener('change', () => {
    if (input.files?.[0]) open(input.files[0]);
    input.value = '';
  });
  const drop = byId('drop');
  const files = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
  document.addEventListener('dragover', (event) => {
    if (!files(event)) return;
    event.preventDefault();
    drop.hidden = false;
  });
  document.addEventListener('dragleave', (event) => {
    if (event.relatedTarget === null) drop.hidden = true;
  });
  document.addEventListener('drop', (event) => {
    drop.hidden = true;
    if (!files(event)) return;
    event.preventDefault();
    const file = event.dataTransfer!.files[0];
    if (file) open(file);
  });
}

interface Saving {
  offers(kind: string): boolean;
  download(kind: string): Promise<void>;
  share(): Promise<void>;
}

export function setUpSaving(saving: Saving) {
  byId('share').addEventListener('click', () => void saving.share());
  const menu = byId('download-menu');
  setUpMenu(byId('download'), menu, () => {
    for (const item of menu.querySelectorAll<HTMLButtonElement>('button')) {
      item.disabled = !saving.offers(item.dataset.download ?? '');
    }
  });
  menu.addEventListener('click', (event) => {
    const kind = (event.target as HTMLElement).closest<HTMLElement>('[data-download]')?.dataset.download;
    if (kind) void saving.download(kind);
  });
}
