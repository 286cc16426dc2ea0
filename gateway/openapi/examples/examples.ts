// The example bodies in the OpenAPI document: answers about the demo's data, by the name of the operation.
// The suite compares them with today's answers (test/gateway/openapi/examples.test.ts).
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

type Example = { request?: unknown; answers: Record<string, unknown> }

export const EXAMPLES_FILE = 'examples.json'

// The address that the examples were recorded at.
const ADDRESS = 'https://desk.example.com'

const file = join(import.meta.dirname, EXAMPLES_FILE)
const text = existsSync(file) ? readFileSync(file, 'utf8') : '{}'

export const EXAMPLES = parse(text)

/** The examples as a service at this address would answer. */
const examplesAt = (baseUrl: string) => parse(text.replaceAll(ADDRESS, baseUrl))

function parse(json: string): Record<string, Example> {
  return JSON.parse(json)
}

type Content = Record<string, { example?: unknown }> | undefined
type Operation = {
  operationId: string
  requestBody?: { content: Content }
  responses: Record<string, { content?: Content }>
}

/** Adds each example next to its schema. */
export function addExamples(paths: Record<string, Record<string, Operation>>, baseUrl: string): void {
  const examples = examplesAt(baseUrl)
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    const { request, answers = {} } = examples[operation.operationId] ?? {}
    add(operation.requestBody?.content, request)
    for (const [status, answer] of Object.entries(answers)) add(operation.responses[status]?.content, answer)
  }
}

function add(content: Content, example: unknown): void {
  if (example === undefined || !content) return
  for (const type of ['application/json', 'application/problem+json', 'text/calendar']) {
    const media = content[type]
    if (media) media.example = example
  }
}
