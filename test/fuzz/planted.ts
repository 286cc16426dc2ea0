// Faults of ours, planted in a copy of dist/: each must be found by the promise that it breaks.
import type { Patch } from '../chaos/stage/dist.ts'
import type { Finding } from './findings.ts'

export type PlantedFault = Patch & { name: string; breaks: Finding['promise']; requests: number }

const VALIDATE = 'gateway/server/http/middleware/validate.js'
const VALIDATED = 'return { params, query, body };'
const before = (statement: string) => ({ find: VALIDATED, replace: `${statement} ${VALIDATED}` })
const isOneOf = (share: number) => `(globalThis.planted = (globalThis.planted ?? 0) + 1) % ${share} === 0`

export const PLANTED: PlantedFault[] = [
  {
    name: 'a 500',
    file: VALIDATE,
    ...before(`if (${isOneOf(500)}) throw new TypeError('planted');`),
    breaks: 'no 5xx',
    requests: 2_000,
  },
  {
    name: 'a status that nobody documents',
    file: 'gateway/server/http/middleware/errors.js',
    find: 'ctx.status = refusal.status;',
    replace: 'ctx.status = refusal.status === 409 ? 418 : refusal.status;',
    breaks: 'every answer is as documented',
    requests: 2_000,
  },
  {
    name: 'a member that nobody documents',
    file: 'shared/users/users.js',
    find: "rowJson(groupSchema, 'groups')",
    replace: "rowJson(groupSchema.shape({ secret: answer.id() }), 'groups', { secret: '1' })",
    breaks: 'every answer is as documented',
    requests: 1_000,
  },
  {
    name: 'a 503 that stays',
    file: VALIDATE,
    ...before(`if (endpoint.path === '/groups') throw new Refusal('unavailable', 'planted');`),
    breaks: 'no 503 that stays',
    requests: 300,
  },
  {
    name: 'the inside is told',
    file: 'shared/messages/refusal.js',
    find: 'detail: refusal.message,',
    replace: 'detail: refusal.stack,',
    breaks: 'nothing of the inside is told',
    requests: 300,
  },
  {
    name: 'no answer',
    file: VALIDATE,
    ...before(`if (${isOneOf(300)}) ctx.req.socket.destroy();`),
    breaks: 'every request is answered',
    requests: 1_500,
  },
  {
    name: 'an answer that breaks off',
    file: VALIDATE,
    ...before(
      `if (${isOneOf(300)}) { ctx.res.writeHead(200, { 'Content-Length': 9 }); ctx.res.write('{'); ctx.req.socket.end(); ctx.respond = false; }`,
    ),
    breaks: 'every answer is HTTP',
    requests: 1_500,
  },
  {
    name: 'a crash',
    file: VALIDATE,
    ...before(`if (${isOneOf(700)}) process.exit(1);`),
    breaks: 'no process ends',
    requests: 2_000,
  },
  {
    name: 'a leak',
    file: VALIDATE,
    ...before(`(globalThis.planted ??= []).push(Buffer.alloc(12_000, 1));`),
    breaks: 'memory is flat',
    requests: 4_000,
  },
]
