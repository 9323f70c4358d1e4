import { useMutation, useQueryClient } from '@tanstack/react-query';
import { callApi, readFile, sendFile } from '../../../lib/api/call-api.ts';
import { keys } from '../../../lib/queries/keys.ts';
import { saveAsFile } from '../../../lib/save-as-file.ts';

/** Saves the project as a file. */
export function useExport(projectId: string) {
  return useMutation({
    mutationFn: () => readFile('exportProject', { params: { pid: projectId } }),
    onSuccess: (file) => saveAsFile(`${projectId}.ndjson`, file),
  });
}

/** Takes the chats that the folder of the project holds from before into its history. */
export function useImportChats(projectId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => callApi('importChats', { params: { pid: projectId } }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.project(projectId) }),
  });
}

/** Makes a project of a file. */
export function useImport() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (file: File) => sendFile('importProject', file),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.projects }),
  });
}
