// Every reply of the suite is held against its job's contract: what Postgres finishes the compiler cannot prove. The
// handlers of this process are wrapped for it; a reply of another form fails its job, and the test under way.
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { type Components, toJsonSchema } from '../../gateway/api/openapi/json-schema.ts'
import { type JobName, jobs, type ReplyOf } from '../../shared/jobs/jobs.ts'
import { Refusal } from '../../shared/messages/refusal.ts'
import { batchHandlers, handlers } from '../../workers/jobs/handlers.ts'
import { doneOutcome } from '../../workers/runtime/perform.ts'
import { type BatchHandler, type Done, type Handler, UNFINISHED } from '../../workers/runtime/write.ts'
import { hooks } from './hooks.ts'

const components: Components = {}
const replies = Object.fromEntries(
  Object.entries(jobs).map(([name, { reply }]) => [
    name,
    reply ? toJsonSchema(reply, 'answer', components) : { type: 'null' },
  ]),
)
// Not strict: the schemas have members beside JSON Schema's own.
const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv)
ajv.addSchema({ $id: 'contracts', components: { schemas: components }, replies })

const wrong: string[] = []

for (const name of Object.keys(jobs) as JobName[]) watch(name)
for (const name of Object.keys(batchHandlers) as Array<keyof typeof batchHandlers>) watchBatches(name)

function watch<Name extends JobName>(name: Name) {
  const handle = handlers[name]
  const expectValid = validatorOf(name)
  const watched: Handler<Name> = async (write, input) => {
    const reply = await handle(write, input)
    if (reply !== UNFINISHED) expectValid(doneOutcome<ReplyOf<Name>>(reply).body ?? 'null')
    return reply
  }
  Object.assign(handlers, { [name]: watched })
}

function watchBatches(name: keyof typeof batchHandlers) {
  const handler = batchHandlers[name] as BatchHandler<unknown, unknown, Done<object | null>>
  const expectValid = validatorOf(name)
  const perform: typeof handler.perform = async (connection, writes) => {
    const replies = await handler.perform(connection, writes)
    for (const reply of replies)
      if (!(reply instanceof Refusal)) expectValid(doneOutcome(reply).body ?? 'null')
    return replies
  }
  Object.assign(batchHandlers, { [name]: { ...handler, perform } })
}

function validatorOf(name: JobName): (text: string) => void {
  const validate = ajv.compile({ $ref: `contracts#/replies/${name}` })
  return (text) => {
    if (validate(JSON.parse(text))) return
    wrong.push(
      `${name}: its reply is not as its contract has it: ${ajv.errorsText(validate.errors)}\n${text}`,
    )
    throw new Error(wrong.at(-1))
  }
}

hooks.afterTest.add(() => {
  const told = wrong.splice(0)
  if (told.length > 0) throw new Error(told.join('\n'))
})
