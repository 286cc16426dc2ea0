// Compares the API with the last release: every operation, its parameters and its responses. `npm run
// store-answers` adds new parts; stored parts stay until their sunset.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { expect } from 'chai'
import { createOpenApiDocument } from '../../../gateway/api/openapi/document.ts'
import type { JsonSchema } from '../../../gateway/api/openapi/json-schema.ts'
import { listOperations } from '../../../gateway/api/openapi/samples.ts'
import { endpoints } from '../../../gateway/app.ts'

/**
 * `since` is set on operations of the first release. `takes` names parameters and members of the body, and marks
 * required ones with an exclamation mark. `answers` names the members of the answer.
 */
type PromisedOperation = { since?: string; takes: string; answers: string }

const PROMISES_FILE = 'test/gateway/stored-answers/answers/api-promises.json'
const document = createOpenApiDocument(endpoints, '')

describe('the stored promises of the API', () => {
  const present = listPromises()
  const isStored = existsSync(PROMISES_FILE)
  const stored: Record<string, PromisedOperation> = isStored
    ? JSON.parse(readFileSync(PROMISES_FILE, 'utf8'))
    : {}

  if (process.env.STORE_ANSWERS) {
    it('include all new operations and members', () => {
      writeFileSync(PROMISES_FILE, `${JSON.stringify(withPresent(), null, 1)}\n`)
    })
  }

  function withPresent(): Record<string, PromisedOperation> {
    const shown = Object.entries(present).map(([name, promised]) => {
      const since = stored[name]?.since
      return [name, { ...(since ? { since } : {}), ...promised }]
    })
    return { ...stored, ...Object.fromEntries(shown) }
  }

  it('keep every operation, parameter and response member', () => {
    for (const [operation, { takes, answers }] of Object.entries(stored)) {
      expect(Object.keys(present)).to.include(operation)
      expect(parseNames(present[operation]?.takes), operation).to.include.members(parseNames(takes))
      expect(parseNames(present[operation]?.answers), operation).to.include.members(parseNames(answers))
    }
  })

  it('never make a field required that was optional before', () => {
    for (const [operation, { takes }] of Object.entries(stored))
      expect(parseRequiredNames(takes), operation).to.include.members(
        parseRequiredNames(present[operation]?.takes),
      )
  })

  it('are listed in docs/api-changes.md if the first release did not have them', () => {
    const added = Object.keys(present).filter((name) => stored[name]?.since === undefined)
    const named = readFileSync('docs/api-changes.md', 'utf8').matchAll(
      /`((?:GET|POST|PUT|PATCH|DELETE) \/[^`]+)`/g,
    )
    const names = [...named].map(([, name = '']) => name.replace(' ', ' /api/v1'))
    expect(names).to.include.members(added)
    expect(Object.keys(present)).to.include.members(names)
  })

  it('exist for every operation', () => {
    expect(Object.keys(stored), 'run npm run store-answers').to.include.members(Object.keys(present))
  })
})

function listPromises(): Record<string, PromisedOperation> {
  const promises = listOperations(document).map(
    ({ method, path, operation }): [string, PromisedOperation] => {
      const { parameters, requestBody, responses } = operation
      const [success] = Object.values(responses)
      const inputs = [
        ...parameters.map(({ name, required }) => ({ path: name, isRequired: required })),
        ...Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => listMembers(schema, '')),
      ]
      const answered = Object.values(success?.content ?? {}).flatMap(({ schema }) => listMembers(schema, ''))
      return [
        `${method} ${path}`,
        { takes: formatMembers(inputs), answers: parseNames(formatMembers(answered)).join(' ') },
      ]
    },
  )
  return Object.fromEntries(promises.sort(([a], [b]) => a.localeCompare(b)))
}

function formatMembers(members: Member[]): string {
  const required = new Set(members.filter(({ isRequired }) => isRequired).map(({ path }) => path))
  const paths = [...new Set(members.map(({ path }) => path))].sort()
  return paths.map((path) => (required.has(path) ? `${path}!` : path)).join(' ')
}

function parseNames(text = ''): string[] {
  return text.replaceAll('!', '').split(' ').filter(Boolean)
}

function parseRequiredNames(text = ''): string[] {
  return text.split(' ').filter((name) => name.endsWith('!'))
}

type Member = { path: string; isRequired: boolean }

/** Returns the fields of a schema at all levels. A field is required if all objects around it are required. */
function listMembers(schema: JsonSchema, above: string, isRequired = true): Member[] {
  const name = String(schema.$ref ?? '')
    .split('/')
    .pop()
  const found = name ? (document.components.schemas[name] ?? {}) : schema
  const kinds = [found.oneOf, found.anyOf].flat().filter(Boolean) as JsonSchema[]
  const required = (found.required ?? []) as string[]
  return [
    ...kinds.flatMap((kind) => listMembers(kind, above, false)),
    ...(found.items ? listMembers(found.items as JsonSchema, `${above}[]`, false) : []),
    ...Object.entries((found.properties ?? {}) as Record<string, JsonSchema>).flatMap(([key, member]) => {
      const path = `${above}.${key}`
      const isNeeded = isRequired && required.includes(key)
      return [{ path, isRequired: isNeeded }, ...listMembers(member, path, isNeeded)]
    }),
  ]
}
