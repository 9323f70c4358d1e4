/** As the contract: png, jpeg or webp of at most 5 MiB each, five of them. */
export const MAX_IMAGES = 5;
const MAX_BYTES = 5 * 1024 * 1024;
export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/webp'];

export type ImageFault = 'type' | 'size' | 'count' | 'screen';

export class ImageError extends Error {
  readonly fault: ImageFault;

  constructor(fault: ImageFault) {
    super(fault);
    this.fault = fault;
  }
}

/** As data URIs. @throws ImageError */
export async function readImages(files: readonly File[]): Promise<readonly string[]> {
  if (files.length > MAX_IMAGES) throw new ImageError('count');
  if (files.some(({ type }) => !IMAGE_TYPES.includes(type))) throw new ImageError('type');
  if (files.some(({ size }) => size > MAX_BYTES)) throw new ImageError('size');
  return Promise.all(files.map(toUri));
}

/** Pictures on the clipboard; empty: text or nothing. */
export function picturesIn(data: DataTransfer | null): readonly File[] {
  return [...(data?.files ?? [])].filter(({ type }) => IMAGE_TYPES.includes(type));
}

/** Whether this browser shows people a choice of screens: not on phones, and not without https. */
export function canShareScreen(): boolean {
  return typeof navigator.mediaDevices?.getDisplayMedia === 'function';
}

/**
 * One picture of the screen or window that the person chooses; undefined: none was chosen. Nothing is recorded.
 *
 * @throws ImageError
 */
export async function takeScreenshot(): Promise<string | undefined> {
  let stream: MediaStream;
  try {
    stream = await navigator.mediaDevices.getDisplayMedia({ video: true, audio: false });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'NotAllowedError') return undefined;
    throw new ImageError('screen');
  }
  try {
    const blob = await pictureOf(stream);
    return await toUri(blob);
  } finally {
    for (const track of stream.getTracks()) track.stop();
  }
}

async function pictureOf(stream: MediaStream): Promise<Blob> {
  const video = document.createElement('video');
  video.muted = true;
  video.srcObject = stream;
  await video.play();
  const canvas = document.createElement('canvas');
  canvas.width = video.videoWidth;
  canvas.height = video.videoHeight;
  canvas.getContext('2d')?.drawImage(video, 0, 0);
  const png = await toBlob(canvas, 'image/png');
  // A large screen with a photo on it.
  const blob = png.size > MAX_BYTES ? await toBlob(canvas, 'image/jpeg') : png;
  if (blob.size > MAX_BYTES) throw new ImageError('size');
  return blob;
}

function toBlob(canvas: HTMLCanvasElement, type: string): Promise<Blob> {
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new ImageError('screen'))), type, 0.9);
  });
}

function toUri(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(new ImageError('type'));
    reader.readAsDataURL(blob);
  });
}
