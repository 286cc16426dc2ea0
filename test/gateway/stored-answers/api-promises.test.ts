// What programs rely on, compared with the last release: every operation, what it needs and what it answers. `npm run
// store-answers` adds what is new; what is stored never goes away before its sunset.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { expect } from 'chai'
import { createOpenApiDocument } from '../../../gateway/api/openapi/document.ts'
import type { JsonSchema } from '../../../gateway/api/openapi/json-schema.ts'
import { listOperations } from '../../../gateway/api/openapi/samples.ts'
import { endpoints } from '../../../gateway/app.ts'

/**
 * `since` is on those of the first release. `takes` names parameters and members of the body, and marks those that are required
 * with an exclamation mark. `answers` names the members of the answer.
 */
type Promised = { since?: string; takes: string; answers: string }

const FILE = 'test/gateway/stored-answers/answers/api-promises.json'
const document = createOpenApiDocument(endpoints, '')

describe('the promises of the API', () => {
  const present = promisesOf()
  const isStored = existsSync(FILE)
  const stored: Record<string, Promised> = isStored ? JSON.parse(readFileSync(FILE, 'utf8')) : {}

  if (process.env.STORE_ANSWERS) {
    it('include everything new', () => {
      writeFileSync(FILE, `${JSON.stringify(withPresent(), null, 1)}\n`)
    })
  }

  function withPresent(): Record<string, Promised> {
    const shown = Object.entries(present).map(([name, promised]) => {
      const since = stored[name]?.since
      return [name, { ...(since ? { since } : {}), ...promised }]
    })
    return { ...stored, ...Object.fromEntries(shown) }
  }

  it('hold: no operation, parameter or answer member is removed', () => {
    for (const [operation, { takes, answers }] of Object.entries(stored)) {
      expect(Object.keys(present)).to.include(operation)
      expect(namesIn(present[operation]?.takes), operation).to.include.members(namesIn(takes))
      expect(namesIn(present[operation]?.answers), operation).to.include.members(namesIn(answers))
    }
  })

  it('hold: no operation requires more than before', () => {
    for (const [operation, { takes }] of Object.entries(stored))
      expect(requiredIn(takes), operation).to.include.members(requiredIn(present[operation]?.takes))
  })

  it('are named in docs/api-changes.md if the first release did not have them, and nothing else is', () => {
    const added = Object.keys(present).filter((name) => stored[name]?.since === undefined)
    const named = readFileSync('docs/api-changes.md', 'utf8').matchAll(
      /`((?:GET|POST|PUT|PATCH|DELETE) \/[^`]+)`/g,
    )
    const names = [...named].map(([, name = '']) => name.replace(' ', ' /api/v1'))
    expect(names).to.include.members(added)
    expect(Object.keys(present)).to.include.members(names)
  })

  it('are stored for every operation', () => {
    expect(Object.keys(stored), 'run npm run store-answers').to.include.members(Object.keys(present))
  })
})

function promisesOf(): Record<string, Promised> {
  const promises = listOperations(document).map(({ method, path, operation }): [string, Promised] => {
    const { parameters, requestBody, responses } = operation
    const [success] = Object.values(responses)
    const inputs = [
      ...parameters.map(({ name, required }) => ({ path: name, isRequired: required })),
      ...Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => membersOf(schema, '')),
    ]
    const answered = Object.values(success?.content ?? {}).flatMap(({ schema }) => membersOf(schema, ''))
    return [
      `${method} ${path}`,
      { takes: formatMembers(inputs), answers: namesIn(formatMembers(answered)).join(' ') },
    ]
  })
  return Object.fromEntries(promises.sort(([a], [b]) => a.localeCompare(b)))
}

function formatMembers(members: Member[]): string {
  const required = new Set(members.filter(({ isRequired }) => isRequired).map(({ path }) => path))
  const paths = [...new Set(members.map(({ path }) => path))].sort()
  return paths.map((path) => (required.has(path) ? `${path}!` : path)).join(' ')
}

function namesIn(text = ''): string[] {
  return text.replaceAll('!', '').split(' ').filter(Boolean)
}

function requiredIn(text = ''): string[] {
  return text.split(' ').filter((name) => name.endsWith('!'))
}

type Member = { path: string; isRequired: boolean }

/** The members of a schema and of all that it contains. A member is required if everything above it is too. */
function membersOf(schema: JsonSchema, above: string, isRequired = true): Member[] {
  const name = String(schema.$ref ?? '')
    .split('/')
    .pop()
  const found = name ? (document.components.schemas[name] ?? {}) : schema
  const kinds = [found.oneOf, found.anyOf].flat().filter(Boolean) as JsonSchema[]
  const required = (found.required ?? []) as string[]
  return [
    ...kinds.flatMap((kind) => membersOf(kind, above, false)),
    ...(found.items ? membersOf(found.items as JsonSchema, `${above}[]`, false) : []),
    ...Object.entries((found.properties ?? {}) as Record<string, JsonSchema>).flatMap(([key, member]) => {
      const path = `${above}.${key}`
      const isNeeded = isRequired && required.includes(key)
      return [{ path, isRequired: isNeeded }, ...membersOf(member, path, isNeeded)]
    }),
  ]
}
