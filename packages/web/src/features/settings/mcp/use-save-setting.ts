import type { SettingName } from '@aizuchi/shared/contract/settings';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { callApi } from '../../../lib/api/call-api.ts';
import { keys } from '../../../lib/queries/keys.ts';
import { toast } from '../../../lib/toast.ts';

/** Stores the value of one setting as soon as it is chosen. */
export function useSaveSetting(name: SettingName) {
  const { t } = useTranslation();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (value: number) => callApi('updateSettings', { body: { [name]: value } }),
    onSuccess: (changed) => {
      client.setQueryData(keys.settings, changed);
      toast.success(t('common.saved'));
    },
  });
}
