import { expect, test } from 'vitest';
import { shareNamed, topicTermsOf } from './topic-terms.ts';

test.each([
  ['猫の名前', 'うちの猫はモモという名前です', 1],
  ['猫の名前', '会議は月曜日です', 0],
  ['私の誕生日', '僕の誕生日は5月3日です', 1],
  ['アポロ計画の締め切り', 'アポロは5月まで', 1 / 4],
  ['モモ', 'ももは三歳', 1],
  ['おかし', 'あまいおかしを買う', 1],
  ['ねこのなまえ', 'ねこはももというなまえ', 1],
  ['my cats', "My cat's name is Momo", 1],
  ['the deadline of Apollo', 'Apollo has its deadline in May', 1],
  ['the deadline of Apollo', 'Apollo lands', 0.5],
  ['my birthday', 'my office', 0],
])('of "%s" the text "%s" names %d', (topic, text, share) => {
  expect(shareNamed(topicTermsOf(topic), text)).toBeCloseTo(share);
});
