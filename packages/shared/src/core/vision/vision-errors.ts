import { AppError } from '../../platform/errors.ts';
import type { Locale } from '../../platform/texts/locale.ts';
import { statusAt, type VisionSnapshot } from './rules/vision-machine.ts';

const MODEL: Readonly<Record<Locale, Readonly<Record<'missing' | 'refused' | 'broken', string>>>> = {
  ja: {
    missing: '画像を見るモデルが設定されていません。LLM_BASE_URL と LLM_MODEL を設定してください。',
    refused:
      'モデルが画像を受け付けませんでした。LLM_MODEL が画像に対応しているか、サーバーが動いているかを確認してください。',
    broken: '画像の説明が途中で切れました。何も保存していません。もう一度送ってください。',
  },
  en: {
    missing: 'No model is configured that could look at images. Set LLM_BASE_URL and LLM_MODEL.',
    refused:
      'The model did not take the images. Check that LLM_MODEL can see images, and that its server runs.',
    broken: 'The description of the images broke off. Nothing was stored. Send them again.',
  },
};

/** A person reads it. */
export function modelUnavailable(locale: Locale, reason: 'missing' | 'refused' | 'broken'): AppError {
  return new AppError('llm_unavailable', MODEL[locale][reason]);
}

const OVER = {
  timeout: 'This request for an image has timed out: nobody waits for it any more.',
  cancelled: 'The session that asked for this image has ended: nobody waits for it any more.',
  describing: 'This request for an image has been answered already.',
  described: 'This request for an image has been answered already.',
  declined: 'This request for an image has been answered already.',
} as const;

/** `request`: one that the caller may know of. */
export function captureNotFound(request?: VisionSnapshot, now?: Date): AppError {
  const status = request && now && statusAt(request, now);
  if (status === undefined || status === 'pending')
    return new AppError('capture_request_not_found', 'There is no such request for an image.');
  return new AppError('capture_request_not_found', OVER[status], { details: { status } });
}
