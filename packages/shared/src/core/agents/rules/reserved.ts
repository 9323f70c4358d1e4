import { skeletonsOf } from './skeleton.ts';

/** Names that the product itself writes in the place of a sender's name. */
const THE_SYSTEMS = ['System', 'システム', 'Aizuchi', 'You', 'あなた'];
/** Readers of a chat take this for the name of a person: an AI agent may not have it. */
const PEOPLES = ['User', 'ユーザー'];
/** The access level with all rights. */
const OWNERS = ['Owner', 'オーナー'];

export interface NamedOne {
  readonly name: string;
  readonly type: 'human' | 'ai';
  readonly accessLevel?: string | null | undefined;
}

/** Whether the name, or one that looks like it, claims something that is not true of its bearer. */
export function isReservedName({ name, type, accessLevel }: NamedOne): boolean {
  const reserved = [
    ...THE_SYSTEMS,
    ...(type === 'ai' ? PEOPLES : []),
    ...(accessLevel === 'owner' ? [] : OWNERS),
  ].flatMap(skeletonsOf);
  return skeletonsOf(name).some((skeleton) => reserved.includes(skeleton));
}
