import type { Locale } from './locale.ts';

/** The note of what the permission policy of a project has decided, for agents and people. */
const TEXTS: Record<Locale, Readonly<Record<'allow_edits' | 'deny', string>>> = {
  ja: {
    allow_edits:
      'プロジェクトの権限ポリシー（allow_edits）により、作業ディレクトリ内の編集として許可されました。',
    deny: 'プロジェクトの権限ポリシー（deny）により拒否されました。確認なしに許可される操作だけで作業を続けてください。',
  },
  en: {
    allow_edits: 'The permission policy of the project (allow_edits) allows edits in the working directory.',
    deny: 'The permission policy of the project (deny) refuses this. Go on with what needs no permission.',
  },
};

export function policyNote(locale: Locale, policy: 'allow_edits' | 'deny'): string {
  return TEXTS[locale][policy];
}
