// Defines an MCP tool: its schemas, the endpoints that it uses, and how its results and refusals are returned
// to a model. A token sees and calls only tools whose endpoints it may use.
import type { CallToolResult, Tool as ListedTool, ToolAnnotations } from '@modelcontextprotocol/sdk/types.js'
import type * as yup from 'yup'
import { type FieldErrors, invalidFields, type Problem } from '../../../shared/messages/refusal.ts'
import { findRefusalKind } from '../../../shared/messages/refusal-kinds.ts'
import type { InternalClient } from '../../server/http/internal-call.ts'
import { checkInput, refuseUnknown } from '../../server/http/middleware/validate.ts'
import { toJsonSchema } from '../openapi/json-schema.ts'
import type { Place, PlaceCache } from './places.ts'
import { refusalSchema, type ToolRefusal } from './shapes.ts'
import { describeSpan, formatLocalTime, markAsTypedText } from './texts.ts'

export type ToolContext = {
  api: InternalClient
  places: PlaceCache
  /** When the agent's message arrived. */
  now: string
  /** The idempotency key of a write for which the agent sent none. */
  key: string | undefined
}

/** The result of a tool. `text` contains everything that a model needs, because some MCP hosts do not show
 * the structured result to the model. */
export type ToolAnswer<Structured> = { structured: Structured; text: string }

type Schema = yup.ObjectSchema<yup.AnyObject>

export type Tool = {
  listed: ListedTool
  needs: readonly string[]
  input: Schema
  run(given: unknown, context: ToolContext): Promise<ToolAnswer<object>>
}

const READ_ANNOTATIONS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true }
const ADD_ANNOTATIONS = { readOnlyHint: false, destructiveHint: false, idempotentHint: false }
const REPEATABLE_ANNOTATIONS = { readOnlyHint: false, destructiveHint: false, idempotentHint: true }
const CHANGE_ANNOTATIONS = { readOnlyHint: false, destructiveHint: true, idempotentHint: true }
export const TOOL_ANNOTATIONS = {
  READS: READ_ANNOTATIONS,
  ADDS: ADD_ANNOTATIONS,
  REPEATS: REPEATABLE_ANNOTATIONS,
  CHANGES: CHANGE_ANNOTATIONS,
} satisfies Record<string, ToolAnnotations>

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
    outputSchema: createOutputSchema(output),
    annotations: { title, ...effects, openWorldHint: false },
  }
  return { listed, needs, input, run }
}

/** Also allows a refusal, because SDK clients also check refusals against the output schema. */
function createOutputSchema(output: Schema): NonNullable<ListedTool['outputSchema']> {
  const { properties, required } = toJsonSchema(output, 'answer', {})
  return {
    type: 'object',
    properties: { ...Object(properties), refused: toJsonSchema(refusalSchema, 'answer', {}) },
    anyOf: [{ required }, { required: ['refused'] }],
  }
}

export async function callTool(tool: Tool, given: object, context: ToolContext): Promise<CallToolResult> {
  const { api } = context
  try {
    api.requireAccess(tool.needs)
    const { structured, text } = await tool.run(validateArguments(tool.input, given, context), context)
    return { content: [{ type: 'text', text }], structuredContent: { ...structured } }
  } catch (error) {
    const problem = api.toProblem(error)
    // Records the refusal for the request log, because the HTTP status of the response is 200.
    api.ctx.state.refused = problem.code
    const refused = await describeRefusal(problem, context.places)
    const fields = Object.keys(tool.input.fields).join(', ')
    const text = formatRefusal(refused) + (refused.code === 'validation_failed' ? `\nFields: ${fields}.` : '')
    return {
      isError: true,
      content: [{ type: 'text', text }],
      structuredContent: { refused },
    }
  }
}

/**
 * Validates the arguments of a tool. Models send null for omitted fields and misspell names, so an unknown field is
 * refused with the nearest known name.
 */
function validateArguments(schema: Schema, given: object, { now }: ToolContext): unknown {
  const present = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null))
  const errors: FieldErrors = Object.create(null)
  const value = checkInput(schema, present, errors, { part: 'body', context: { now } })
  refuseUnknown(schema, present, errors, 'field')
  if (Object.keys(errors).length > 0) throw invalidFields(errors)
  return value
}

type BookingConflict = { bookable_id: number; from: string; to: string | null }
type ToolProblem = Pick<Problem, 'code' | 'detail' | 'errors'> & {
  status?: number
  conflict?: BookingConflict
  alternatives?: Array<{ id: number; name: string }>
  buildings?: Array<{ id: number; name: string }>
  request_id?: string
}

/** Describes a refusal for a model. Shows times in the time zone of the taken bookable. */
export async function describeRefusal(refusal: ToolProblem, places: PlaceCache): Promise<ToolRefusal> {
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

function describeConflict({ bookable_id, from, to }: BookingConflict, { zone: time_zone }: Place) {
  return {
    bookable_id,
    from: formatLocalTime(from, time_zone),
    to: to && formatLocalTime(to, time_zone),
    time_zone,
  }
}

export function formatRefusal({
  code,
  sentence,
  explanation,
  conflict,
  alternatives,
  buildings,
}: ToolRefusal): string {
  const lines = [`Refused (${code}): ${markAsTypedText(sentence)}`, explanation]
  if (conflict) {
    const { bookable_id, from, to, time_zone } = conflict
    lines.push(`Taken: bookable_id ${bookable_id}, ${describeSpan(from, to, time_zone)}.`)
  }
  const listed = (each: Array<{ name: string }>, ids: (index: number) => string) =>
    each.map(({ name }, index) => `${ids(index)} ${markAsTypedText(name)}`).join('; ')
  if (alternatives && alternatives.length > 0)
    lines.push(
      `Free instead, in the same location: ${listed(alternatives, (index) => `bookable_id ${alternatives[index]?.bookable_id}`)}.`,
    )
  if (buildings)
    lines.push(`Buildings: ${listed(buildings, (index) => `building_id ${buildings[index]?.building_id}`)}.`)
  return lines.join('\n')
}
