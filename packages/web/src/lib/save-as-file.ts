/** Offers the content as a file to the person. */
export function saveAsFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has started the download by the next task of the event loop.
  setTimeout(() => URL.revokeObjectURL(url));
}
