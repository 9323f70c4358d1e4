import type { Attachment } from '@aizuchi/shared/contract/attachment';
import { ApiError } from '../../lib/api/api-error.ts';
import { newId } from '../../lib/new-id.ts';
import { Store } from '../../lib/store.ts';
import { tabStorage } from '../../lib/tab-storage.ts';
import { MAX_FILE_BYTES, MAX_FILES } from './limits.ts';

/** A file that is to go with what is being written. */
export interface DraftFile {
  readonly key: string;
  readonly name: string;
  readonly size: number;
  /** Absent after a reload of the tab. */
  readonly file?: File;
  /** From 0 to 1, while it is uploaded. */
  readonly progress: number;
  readonly attachment?: Attachment;
  readonly error?: unknown;
}

type Upload = (
  file: File,
  options: { readonly signal: AbortSignal; readonly onProgress: (share: number) => void },
) => Promise<Attachment>;

/**
 * The files of one draft, each uploaded at once. Those that are there survive a reload of the tab; the server deletes
 * after a day what no message has used.
 */
export class FileDrafts {
  readonly files: Store<readonly DraftFile[]>;
  readonly #storageKey: string;
  readonly #upload: Upload;
  readonly #running = new Map<string, AbortController>();

  constructor(storageKey: string, upload: Upload) {
    this.#storageKey = storageKey;
    this.#upload = upload;
    this.files = new Store(readStored(storageKey));
    this.files.subscribe(() => this.#keep());
  }

  /** Those beyond the largest number and size are shown with their error, too. */
  add(files: readonly File[]): void {
    const room = MAX_FILES - this.files.get().length;
    for (const [index, file] of files.entries()) {
      const draft = { key: newId(), name: file.name, size: file.size, file, progress: 0 };
      const fault =
        index >= room ? 'too_many_files' : file.size > MAX_FILE_BYTES ? 'file_too_large' : undefined;
      const isEmpty = file.size === 0;
      this.files.set([
        ...this.files.get(),
        fault || isEmpty ? { ...draft, error: new FileFault(fault ?? 'file_empty') } : draft,
      ]);
      if (!fault && !isEmpty) void this.#start(draft.key, file);
    }
  }

  retry(key: string): void {
    const draft = this.files.get().find((one) => one.key === key);
    if (!draft?.file) return;
    this.#change(key, { progress: 0, error: undefined });
    void this.#start(key, draft.file);
  }

  remove(key: string): void {
    this.#running.get(key)?.abort();
    this.files.set(this.files.get().filter((one) => one.key !== key));
  }

  /** Used by now. */
  drop(ids: readonly string[]): void {
    this.files.set(this.files.get().filter(({ attachment }) => !attachment || !ids.includes(attachment.id)));
  }

  /** What is there, which leaves the draft. */
  take(): readonly Attachment[] {
    const taken = this.files.get().flatMap(({ attachment }) => attachment ?? []);
    this.files.set([]);
    return taken;
  }

  async #start(key: string, file: File): Promise<void> {
    const abort = new AbortController();
    this.#running.set(key, abort);
    try {
      const onProgress = (progress: number) => this.#change(key, { progress });
      const attachment = await this.#upload(file, { signal: abort.signal, onProgress });
      this.#change(key, { attachment, progress: 1 });
    } catch (error) {
      if (!abort.signal.aborted) this.#change(key, { error });
    } finally {
      this.#running.delete(key);
    }
  }

  #change(key: string, change: Partial<DraftFile>): void {
    this.files.set(this.files.get().map((one) => (one.key === key ? { ...one, ...change } : one)));
  }

  #keep(): void {
    const there = this.files.get().flatMap(({ attachment }) => attachment ?? []);
    if (there.length === 0) tabStorage.remove(this.#storageKey);
    else tabStorage.set(this.#storageKey, JSON.stringify(there));
  }
}

/** Refused by the page, before anything is sent. */
export class FileFault extends Error {
  readonly fault: 'too_many_files' | 'file_too_large' | 'file_empty';

  constructor(fault: FileFault['fault']) {
    super(fault);
    this.fault = fault;
  }
}

/** Whether another try may help. */
export function mayRetry({ file, error }: DraftFile): boolean {
  return file !== undefined && error instanceof ApiError && error.isTransient;
}

/** Only this page writes the key; entries of an unexpected shape are dropped. */
export function storedFiles(value: unknown): readonly Attachment[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((one: unknown) => {
    if (typeof one !== 'object' || one === null) return [];
    const { id, name, mediaType, size } = one as Record<string, unknown>;
    const isFile =
      typeof id === 'string' &&
      typeof name === 'string' &&
      typeof mediaType === 'string' &&
      typeof size === 'number';
    return isFile ? [{ id, name, mediaType, size }] : [];
  });
}

function readStored(storageKey: string): readonly DraftFile[] {
  try {
    return storedFiles(JSON.parse(tabStorage.get(storageKey) ?? '[]')).map((attachment) => ({
      key: attachment.id,
      name: attachment.name,
      size: attachment.size,
      progress: 1,
      attachment,
    }));
  } catch {
    return [];
  }
}
