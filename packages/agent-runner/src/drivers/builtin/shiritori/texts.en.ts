import type { GameEnd, ShiritoriTexts } from './texts-shape.ts';
import { wordLine } from './trace.ts';
import { romajiOf } from './words/romaji.ts';

const ENDS: Readonly<Record<GameEnd, string>> = {
  rounds_done: 'We played all the rounds you asked for.',
  they_lost: 'My partner said a word that ends in ん, so I won.',
  i_lost: 'I could not think of a next word, so I lost.',
  broken_rules: 'We could not get on by the rules, so I ended it early.',
  expired: 'My partner did not come, so it never began.',
  initiator_ended: 'I ended it.',
  participant_ended: 'My partner ended the conversation.',
  timeout: 'It timed out without an answer.',
  max_messages: 'The conversation reached its limit of messages.',
  chain_limit: 'The limit for talk between agents was reached.',
  human_stopped: 'A person stopped the conversation.',
  participant_gone: 'My partner left the project.',
  not_started: 'It was called off before it began.',
  usage_limit: 'One of us has used its tokens of the day.',
};

const named = (kana: string) => `${kana} (${romajiOf(kana)})`;
const wordCount = (words: number) => (words === 1 ? '1 word' : `${words} words`);

export const SHIRITORI_TEXTS_EN: ShiritoriTexts = {
  opening: 'Shiritori, with pleasure. I begin.',
  wordLine: (word) => wordLine(word, romajiOf(word)),
  yourTurn: (sound) => `Your turn: a Japanese word that begins with ${named(sound)}.`,
  wrongStart: (word, before, sound) =>
    `${named(word)} is nice, but the word before is ${named(before)}: please say one that begins with ${named(sound)}.`,
  longMark: '(When a word ends in the long mark ー, the sound before it counts.)',
  repeated: (word, sound) =>
    `${named(word)} has been said already. Please say another word that begins with ${named(sound)}.`,
  tooShort: (word) => `${named(word)} is a single kana. Please say a word of two kana or more.`,
  unreadable: (writing) =>
    `I am sorry, I do not know how to read "${writing}". Please write it in kana or in Latin letters.`,
  theyLost: (word, words) =>
    `${named(word)} ends in ん (n), so this game is mine. We said ${wordCount(words)} in all. That was fun.`,
  iGiveUp: (sound, words) =>
    `I cannot think of another word that begins with ${named(sound)}. You win! We said ${wordCount(words)} in all.`,
  stopped: (words) => `Let us end the game here. We said ${wordCount(words)} in all. Thank you for playing.`,
  reminder: (sound) =>
    sound === undefined
      ? 'We are playing shiritori: the first word is yours.'
      : `We are playing shiritori: please say a word that begins with ${named(sound)}, or "stop" to end the game.`,
  rules:
    'The rules of shiritori:\n- we take turns, each with a Japanese word that begins with the last sound of the word before\n- a small kana counts as a large one, the long mark ー as the sound before it; voiced marks stay\n- no word twice\n- whoever says a word that ends in ん (n) loses\nYou may write kana or Latin letters. Say "let\'s play shiritori" to begin.',
  roundsDone: (rounds) =>
    `That was ${rounds === 1 ? '1 round' : `${rounds} rounds`}. Let us end here. Thank you for playing.`,
  brokenTooOften: 'We do not seem to get on by the rules, so I end the game here.',
  purpose: (rounds) => `shiritori (${rounds === 1 ? '1 round' : `${rounds} rounds`})`,
  started: (partner, rounds) =>
    `I will play shiritori with ${partner} for ${rounds === 1 ? '1 round' : `${rounds} rounds`}, and tell you here how it went.`,
  partnerUnknown: (agents) =>
    agents.length === 0
      ? 'There is no other agent in this project to play with.'
      : `I could not tell with whom to play. In this project I can play with ${agents.join(', ')}.`,
  partnerIsHuman: (name) =>
    `${name} is a person, and I cannot begin a conversation with people. Please name an agent.`,
  alreadyTalking: (partner) =>
    `I am in a conversation with ${partner} already. Please ask again when it is over.`,
  couldNotStart: (partner, reason) => `I could not begin a conversation with ${partner}. ${reason}`,
  mayNotCome: (partner) => `It may be, though, that ${partner} cannot be started at the moment.`,
  ends: ENDS,
  over: (partner, end, words) =>
    [
      `The shiritori with ${partner} is over. ${ENDS[end]}`,
      ...(words.length > 0 ? [`${wordCount(words.length)}: ${words.map(named).join(' → ')}`] : []),
    ].join('\n'),
};
