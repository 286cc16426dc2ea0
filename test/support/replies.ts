// Compares every reply of the suite with the contract of its job: the compiler cannot check JSON that Postgres builds.
// A reply that does not match fails its job and the current test.
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { type Components, toJsonSchema } from '../../gateway/api/openapi/json-schema.ts'
import { type JobName, jobs, type ReplyOf } from '../../shared/jobs/jobs.ts'
import { Refusal } from '../../shared/messages/refusal.ts'
import { batchHandlers, handlers } from '../../workers/jobs/handlers.ts'
import { toDoneOutcome } from '../../workers/runtime/perform.ts'
import {
  type BatchHandler,
  type Handler,
  type HandlerReply,
  MORE_PIECES_LEFT,
} from '../../workers/runtime/write.ts'
import { hooks } from './hooks.ts'

const components: Components = {}
const replies = Object.fromEntries(
  Object.entries(jobs).map(([name, { reply }]) => [
    name,
    reply ? toJsonSchema(reply, 'answer', components) : { type: 'null' },
  ]),
)
// Turns off strict mode, because the schemas have keywords besides those of JSON Schema.
const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv)
ajv.addSchema({ $id: 'contracts', components: { schemas: components }, replies })

const invalidReplies: string[] = []

for (const name of Object.keys(jobs) as JobName[]) watchReplies(name)
for (const name of Object.keys(batchHandlers) as Array<keyof typeof batchHandlers>) watchBatches(name)

function watchReplies<Name extends JobName>(name: Name) {
  const handle = handlers[name]
  const expectValid = createValidator(name)
  const watched: Handler<Name> = async (write, input) => {
    const reply = await handle(write, input)
    if (reply !== MORE_PIECES_LEFT) expectValid(toDoneOutcome<ReplyOf<Name>>(reply).body ?? 'null')
    return reply
  }
  Object.assign(handlers, { [name]: watched })
}

function watchBatches(name: keyof typeof batchHandlers) {
  const handler = batchHandlers[name] as BatchHandler<unknown, unknown, HandlerReply<object | null>>
  const expectValid = createValidator(name)
  const perform: typeof handler.perform = async (connection, writes) => {
    const replies = await handler.perform(connection, writes)
    for (const reply of replies)
      if (!(reply instanceof Refusal)) expectValid(toDoneOutcome(reply).body ?? 'null')
    return replies
  }
  Object.assign(batchHandlers, { [name]: { ...handler, perform } })
}

function createValidator(name: JobName): (text: string) => void {
  const validate = ajv.compile({ $ref: `contracts#/replies/${name}` })
  return (text) => {
    if (validate(JSON.parse(text))) return
    invalidReplies.push(
      `${name}: its reply is not as its contract has it: ${ajv.errorsText(validate.errors)}\n${text}`,
    )
    throw new Error(invalidReplies.at(-1))
  }
}

hooks.afterTest.add(() => {
  const told = invalidReplies.splice(0)
  if (told.length > 0) throw new Error(told.join('\n'))
})
