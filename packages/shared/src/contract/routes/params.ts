import { z } from 'zod';
import { idParamSchema } from '../ids.ts';

export const aid = z.object({ aid: idParamSchema });
export const cid = z.object({ cid: idParamSchema });
export const pid = z.object({ pid: idParamSchema });
export const tid = z.object({ tid: idParamSchema });
export const comment = tid.extend({ commentId: idParamSchema });
export const proposal = z.object({ proposalId: idParamSchema });
export const attempt = tid.extend({ n: z.coerce.number().int().min(1).max(1_000_000) });
export const memoryItem = z.object({ aid: idParamSchema, id: idParamSchema });
export const memoryPerson = z.object({ aid: idParamSchema, personId: idParamSchema });
export const memoryRun = z.object({ aid: idParamSchema, runId: idParamSchema });
export const rid = z.object({ rid: idParamSchema });
export const toolUseId = z.object({ toolUseId: idParamSchema });
export const approvalId = z.object({ id: idParamSchema });
export const attachmentId = z.object({ id: idParamSchema });
export const sid = z.object({ sid: idParamSchema });
export const channelId = z.object({ channelId: idParamSchema });
export const tokenId = z.object({ tokenId: idParamSchema });
export const membership = z.object({ pid: idParamSchema, aid: idParamSchema });
export const membershipMessage = membership.extend({ mid: idParamSchema });

export const CHAT = '/api/projects/:pid/agents/:aid/chat';
