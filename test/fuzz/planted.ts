// Faults planted in a copy of dist/. A run must find the promise that each of them breaks.
import type { Planted } from '../harness/planted.ts'
import type { Finding } from './findings.ts'

export type PlantedFault = Planted<Finding['promise']> & { requests?: number; races?: number }

const VALIDATE_FILE = 'gateway/server/http/middleware/validate.js'
// Every request of the operation runs this line.
const FIRST_VALIDATION_LINE = 'const ids = readIds('
const insertBeforeChecks = (statement: string) => ({
  file: VALIDATE_FILE,
  find: FIRST_VALIDATION_LINE,
  replace: `${statement} ${FIRST_VALIDATION_LINE}`,
})
const isOneOf = (share: number) => `(globalThis.planted = (globalThis.planted ?? 0) + 1) % ${share} === 0`

export const PLANTED_FAULTS: PlantedFault[] = [
  {
    name: 'a 500',
    patches: [insertBeforeChecks(`if (${isOneOf(500)}) throw new TypeError('planted');`)],
    shows: ['no 5xx'],
    requests: 2_000,
  },
  {
    name: 'an undocumented status',
    patches: [
      {
        file: 'gateway/server/http/send.js',
        find: 'ctx.status = status;',
        replace: 'ctx.status = status === 409 ? 418 : status;',
      },
    ],
    shows: ['every answer is as documented'],
    requests: 2_000,
  },
  {
    name: 'an undocumented member',
    patches: [
      {
        file: 'shared/users/users.js',
        find: "rowJson(groupSchema, 'groups')",
        replace: "rowJson(groupSchema.shape({ secret: answer.id() }), 'groups', { secret: '1' })",
      },
    ],
    shows: ['every answer is as documented'],
    requests: 1_000,
  },
  {
    name: 'a 503 that persists',
    patches: [
      insertBeforeChecks(
        `if (endpoint.path === '/groups') throw new Refusal('unavailable', endpoint.missing);`,
      ),
    ],
    shows: ['no 503 that persists'],
    requests: 300,
  },
  {
    name: 'an error that reveals internals',
    patches: [
      {
        file: 'shared/messages/refusal.js',
        find: 'detail: refusal.message,',
        replace: 'detail: refusal.stack,',
      },
    ],
    shows: ['internals stay hidden'],
    requests: 300,
  },
  {
    name: 'no answer',
    // Every request of the operation, because a request on a connection that was open before is sent once more.
    patches: [insertBeforeChecks(`if (endpoint.path === '/me') ctx.req.socket.destroy();`)],
    shows: ['every request is answered'],
    requests: 1_500,
  },
  {
    name: 'a truncated answer',
    patches: [
      insertBeforeChecks(
        `if (${isOneOf(300)}) { ctx.res.writeHead(200, { 'Content-Length': 9 }); ctx.res.write('{'); ctx.req.socket.end(); ctx.respond = false; }`,
      ),
    ],
    shows: ['every answer is HTTP'],
    requests: 1_500,
  },
  {
    name: 'a crash',
    patches: [insertBeforeChecks(`if (${isOneOf(700)}) process.exit(1);`)],
    shows: ['no process ends'],
    requests: 2_000,
  },
  {
    name: 'a memory leak',
    patches: [insertBeforeChecks(`(globalThis.planted ??= []).push(Buffer.alloc(12_000, 1));`)],
    shows: ['memory is flat'],
    requests: 4_000,
  },
  {
    name: 'a write that assumes that a row still exists',
    patches: [
      {
        file: 'workers/jobs/bookings/series.js',
        find: 'return ids.includes(id) ? ids : [id, ...ids];',
        replace: 'return ids;',
      },
    ],
    shows: ['no 5xx', 'no error in the logs'],
    races: 3_000,
  },
]
