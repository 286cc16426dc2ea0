// Every reply of the suite is held against its job's contract: what Postgres finishes the compiler cannot prove. The
// handlers of this process are wrapped for it; a reply of another form fails its job, and the test under way.
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { type Components, toJsonSchema } from '../../gateway/openapi/json-schema.ts'
import { type JobName, jobs } from '../../shared/jobs.ts'
import type { Handler } from '../../workers/context.ts'
import { handlers } from '../../workers/handlers.ts'

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

function watch<Name extends JobName>(name: Name) {
  const handle = handlers[name]
  const validate = ajv.compile({ $ref: `contracts#/replies/${name}` })
  const watched: Handler<Name> = async (trx, input, context) => {
    const reply = await handle(trx, input, context)
    const text = typeof reply === 'string' ? reply : JSON.stringify(reply)
    if (validate(JSON.parse(text))) return reply
    wrong.push(
      `${name}: its reply is not as its contract has it: ${ajv.errorsText(validate.errors)}\n${text}`,
    )
    throw new Error(wrong.at(-1))
  }
  Object.assign(handlers, { [name]: watched })
}

export const mochaHooks = {
  afterEach() {
    const told = wrong.splice(0)
    if (told.length > 0) throw new Error(told.join('\n'))
  },
}
