/**
 * What drivers say to a person of a chat, and what a person of a task does instead: there is no message that could be sent
 * again. In the order in which they are looked for.
 */
const INSTEAD: readonly (readonly [said: RegExp, instead: string])[] = [
  [/(?<=^|[.;] )Send the message again/g, 'Move the task to In progress again'],
  [/send the message again/g, 'move the task to In progress again'],
  [/Begin with a new context, or send a shorter message\./g, 'Shorten the task, or split it.'],
  [/Send a shorter message, begin a new context, or/g, 'Shorten the task, split it, or'],
  [/Put it in other words, or begin with a new context\./g, 'Put the task in other words.'],
  [/Begin with a new context, or ask for a shorter answer\./g, 'Shorten the task, or split it.'],
  [/Ask again in other words/g, 'Put the task in other words'],
  [/Ask for less at once/g, 'Split the task'],
  [/put it in other words/gi, 'put the task in other words'],
  [/Write how it should go on\./g, 'Write how it should go on as a comment of the task.'],
  [/Write "go on" to get the rest\./g, 'Split the task.'],
  [/もう一度送信してください/g, 'タスクをもう一度「進行中」に移してください'],
  [/もう一度送信すると/g, 'タスクをもう一度「進行中」に移すと'],
  [/もう一度送信するか/g, 'タスクをもう一度「進行中」に移すか'],
  [/短くして送信するか、新しいコンテキストで始めるか/g, 'タスクを短くするか、分けるか'],
  [/新しいコンテキストで始めるか、(?:メッセージを短くし|短い回答を依頼し)て/g, 'タスクを短くするか、分けて'],
  [/言い方を変えるか、新しいコンテキストで始めてください/g, 'タスクの言い方を変えてください'],
  [/(表現|言い方)を変えて(?:送信して)?ください/g, 'タスクの$1を変えてください'],
  [/一度に頼むことを減らすか/g, 'タスクを分けるか'],
  [/続け方を指示してください/g, '続け方をタスクのコメントに書いてください'],
  [/「続けて」と送ると続きを書きます/g, 'タスクを分けてください'],
];

/** The sentence of a driver for those who read the report of a task. */
export function taskSentence(sentence: string): string {
  return INSTEAD.reduce((text, [said, instead]) => text.replace(said, instead), sentence);
}
