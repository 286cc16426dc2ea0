// What a tool is: its schemas, the endpoints that it uses, and how its answers and refusals reach a model. A token
// sees and calls only tools whose endpoints it may use.
import type { CallToolResult, Tool as ListedTool, ToolAnnotations } from '@modelcontextprotocol/sdk/types.js'
import type * as yup from 'yup'
import { type FieldErrors, invalid, type Problem } from '../../../shared/messages/refusal.ts'
import { findRefusalKind } from '../../../shared/messages/refusal-kinds.ts'
import type { InternalClient } from '../../server/http/internal-call.ts'
import { check, refuseUnknown } from '../../server/http/middleware/validate.ts'
import { toJsonSchema } from '../openapi/json-schema.ts'
import type { Place, Places } from './places.ts'
import { type Refused, refusedSchema } from './shapes.ts'
import { data, describeSpan, localTime } from './texts.ts'

export type ToolContext = {
  api: InternalClient
  places: Places
  /** When the message arrived. */
  now: string
  /** The idempotency key of a write for which the agent sends none. */
  key: string | undefined
}

/** `text` contains all that a model needs, because some hosts do not show it the structured answer. */
export type ToolAnswer<Structured> = { structured: Structured; text: string }

type Schema = yup.ObjectSchema<yup.AnyObject>

export type Tool = {
  listed: ListedTool
  needs: readonly string[]
  input: Schema
  run(given: unknown, context: ToolContext): Promise<ToolAnswer<object>>
}

const READS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true }
const ADDS = { readOnlyHint: false, destructiveHint: false, idempotentHint: false }
const REPEATS = { readOnlyHint: false, destructiveHint: false, idempotentHint: true }
const CHANGES = { readOnlyHint: false, destructiveHint: true, idempotentHint: true }
export const EFFECTS = { READS, ADDS, REPEATS, CHANGES } satisfies Record<string, ToolAnnotations>

export function defineTool<Input extends Schema, Output extends Schema>(spec: {
  name: string
  title: string
  description: string
  /** The names of the endpoints that the tool requires. */
  needs: readonly string[]
  effects: ToolAnnotations
  input: Input
  output: Output
  run(given: yup.InferType<Input>, context: ToolContext): Promise<ToolAnswer<yup.InferType<Output>>>
}): Tool {
  const { name, title, description, needs, effects, input, output, run } = spec
  const listed = {
    name,
    title,
    description,
    inputSchema: {
      ...toJsonSchema(input, 'input', {}),
      type: 'object' as const,
      additionalProperties: false,
    },
    outputSchema: outputSchemaOf(output),
    annotations: { title, ...effects, openWorldHint: false },
  }
  return { listed, needs, input, run }
}

/** The SDK's clients check refusals against it too. */
function outputSchemaOf(output: Schema): NonNullable<ListedTool['outputSchema']> {
  const { properties, required } = toJsonSchema(output, 'answer', {})
  return {
    type: 'object',
    properties: { ...Object(properties), refused: toJsonSchema(refusedSchema, 'answer', {}) },
    anyOf: [{ required }, { required: ['refused'] }],
  }
}

export async function callTool(tool: Tool, given: object, context: ToolContext): Promise<CallToolResult> {
  const { api } = context
  try {
    api.requireAccess(tool.needs)
    const { structured, text } = await tool.run(validate(tool.input, given, context), context)
    return { content: [{ type: 'text', text }], structuredContent: { ...structured } }
  } catch (error) {
    const problem = api.toProblem(error)
    // For the request log: the HTTP status of the answer is a success.
    api.ctx.state.refused = problem.code
    const refused = await describeRefusal(problem, context.places)
    const fields = Object.keys(tool.input.fields).join(', ')
    const text = refusalText(refused) + (refused.code === 'validation_failed' ? `\nFields: ${fields}.` : '')
    return {
      isError: true,
      content: [{ type: 'text', text }],
      structuredContent: { refused },
    }
  }
}

/** Models send null for omitted fields and misspell names. Unknown fields are refused with the nearest known name. */
function validate(schema: Schema, given: object, { now }: ToolContext): unknown {
  const present = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null))
  const errors: FieldErrors = Object.create(null)
  const value = check(schema, present, errors, { part: 'body', context: { now } })
  refuseUnknown(schema, present, errors, 'field')
  if (Object.keys(errors).length > 0) throw invalid(errors)
  return value
}

type Conflict = { bookable_id: number; from: string; to: string | null }
type Refusal = Pick<Problem, 'code' | 'detail' | 'errors'> & {
  status?: number
  conflict?: Conflict
  alternatives?: Array<{ id: number; name: string }>
  buildings?: Array<{ id: number; name: string }>
  request_id?: string
}

/** The refusal as a model can use it, with times on the clocks of the bookable that is taken. */
export async function describeRefusal(refusal: Refusal, places: Places): Promise<Refused> {
  const { code, detail, errors, conflict, alternatives, buildings, request_id } = refusal
  const place = conflict && (await places.findOfBookable(conflict.bookable_id).catch(() => undefined))
  return {
    code,
    sentence: detail,
    explanation: findRefusalKind(code)?.explanation ?? '',
    ...(errors && { errors }),
    ...(conflict && place && { conflict: describeConflict(conflict, place) }),
    ...(alternatives && { alternatives: alternatives.map(({ id, name }) => ({ bookable_id: id, name })) }),
    ...(buildings && { buildings: buildings.map(({ id, name }) => ({ building_id: id, name })) }),
    ...(request_id !== undefined && { request_id }),
  }
}

function describeConflict({ bookable_id, from, to }: Conflict, { zone: time_zone }: Place) {
  return { bookable_id, from: localTime(from, time_zone), to: to && localTime(to, time_zone), time_zone }
}

export function refusalText({
  code,
  sentence,
  explanation,
  conflict,
  alternatives,
  buildings,
}: Refused): string {
  const lines = [`Refused (${code}): ${data(sentence)}`, explanation]
  if (conflict) {
    const { bookable_id, from, to, time_zone } = conflict
    lines.push(`Taken: bookable_id ${bookable_id}, ${describeSpan(from, to, time_zone)}.`)
  }
  const listed = (each: Array<{ name: string }>, ids: (index: number) => string) =>
    each.map(({ name }, index) => `${ids(index)} ${data(name)}`).join('; ')
  if (alternatives && alternatives.length > 0)
    lines.push(
      `Free instead, in the same location: ${listed(alternatives, (index) => `bookable_id ${alternatives[index]?.bookable_id}`)}.`,
    )
  if (buildings)
    lines.push(`Buildings: ${listed(buildings, (index) => `building_id ${buildings[index]?.building_id}`)}.`)
  return lines.join('\n')
}
