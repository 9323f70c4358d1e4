import { skeletonsOf } from './skeleton.ts';

/** What the product itself writes where a sender's name stands. */
const THE_SYSTEMS = ['System', 'システム', 'Aizuchi', 'You', 'あなた'];
/** Who reads a chat takes it for a person's: an AI agent may not be called so. */
const PEOPLES = ['User', 'ユーザー'];
/** The level of those who may do everything. */
const OWNERS = ['Owner', 'オーナー'];

export interface NamedOne {
  readonly name: string;
  readonly type: 'human' | 'ai';
  readonly accessLevel?: string | null | undefined;
}

/** Does the name, or one that looks like it, say something that its bearer is not? */
export function isReservedName({ name, type, accessLevel }: NamedOne): boolean {
  const reserved = [
    ...THE_SYSTEMS,
    ...(type === 'ai' ? PEOPLES : []),
    ...(accessLevel === 'owner' ? [] : OWNERS),
  ].flatMap(skeletonsOf);
  return skeletonsOf(name).some((skeleton) => reserved.includes(skeleton));
}
