// What an operation of the API is, how its method takes arguments, and what it returns.
import { Listing } from './listing.ts'
import { type Call, type RequestOptions, type Settings, send } from './request.ts'

export type Options = RequestOptions

/** The answer; `withResponse()` also has the response, whose headers have the ETag, say. */
export type Answered<Data> = Promise<Data> & { withResponse(): Promise<{ data: Data; response: Response }> }

/** What `include: 'details'` adds is optional in the type of the answer: with it, nothing is. */
export type Detailed<Data> = Data extends object ? { [Name in keyof Data]-?: Detailed<Data[Name]> } : Data

export type Operation = {
  method: string
  path: string
  body?: 'json' | 'form'
  query?: boolean
  answer: 'nothing' | 'file' | 'list' | 'data' | 'whole'
}

type Query = Call['query']

/** The method of an operation: the parts of its path, its body, its query and the options, in this order. */
export function createMethod(settings: Settings, operation: Operation) {
  return (...given: unknown[]): unknown => {
    const left = [...given]
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name) => encodePart(name, left.shift()))
    const body = operation.body ? left.shift() : undefined
    const query = operation.query ? (left.shift() as Query) : undefined
    const options = (left.shift() ?? {}) as Options
    const call: Call = {
      method: operation.method,
      path,
      query,
      options,
      ...(operation.body === 'form' ? { form: toForm(body) } : operation.body ? { json: body } : {}),
      isFile: operation.answer === 'file',
    }
    return operation.answer === 'list' ? listItems(settings, call) : answer(settings, call, operation.answer)
  }
}

function encodePart(name: string, value: unknown): string {
  // A missing id must not become the path of another operation.
  if (typeof value !== 'number' && (typeof value !== 'string' || value === ''))
    throw new TypeError(`${name} must be a number or a text`)
  return encodeURIComponent(value)
}

function answer(settings: Settings, call: Call, kind: Operation['answer']): Answered<unknown> {
  const sent = send(settings, call).then(({ response, content }) => ({
    data: kind === 'data' ? (content as { data: unknown }).data : kind === 'nothing' ? undefined : content,
    response,
  }))
  return Object.assign(
    sent.then(({ data }) => data),
    { withResponse: () => sent },
  )
}

function listItems(settings: Settings, call: Call): Listing<unknown> {
  return new Listing(
    async (changes) => {
      const { response, content } = await send(settings, { ...call, query: { ...call.query, ...changes } })
      const [, next] = /<([^>]*)>;\s*rel="next"/.exec(response.headers.get('Link') ?? '') ?? []
      const cursor = next ? (new URL(next).searchParams.get('cursor') ?? undefined) : undefined
      return { items: (content as { data: unknown[] }).data, cursor }
    },
    call.query?.['limit'] as number | undefined,
  )
}

function toForm(fields: unknown): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields as Record<string, unknown>))
    if (value instanceof Blob) form.set(name, value, value instanceof File ? value.name : name)
    else if (value !== undefined && value !== null) form.set(name, String(value))
  return form
}
