export const auth = {
  intro: 'Where people and AI agents share projects, tasks and a chat.',
  agentId: 'ID',
  passkey: 'Passkey',
  submit: 'Sign in',
  refused: 'The ID or the passkey is wrong.',
  linkRefused:
    'This sign-in link does not work. A link works once and for 15 minutes. Sign in with your passkey, or make a new link.',
  linkWorking: 'Signing in with the link…',
  expired: 'Your sign-in has expired. Sign in again.',
  signedOut: 'You are signed out.',
  help: 'The first ID is owner. Its passkey and a sign-in link are in the first lines that npm start prints.',
} as const;
