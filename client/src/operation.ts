// Defines an operation of the API, and creates the method that sends it.
import { Listing } from './listing.ts'
import { type RequestCall, type RequestOptions, type Settings, sendRequest } from './request.ts'

export type Options = RequestOptions

/**
 * Resolves to the data of the response. `withResponse()` also returns the response itself, for example to read its ETag
 * header.
 */
export type AnswerPromise<Data> = Promise<Data> & {
  withResponse(): Promise<{ data: Data; response: Response }>
}

/** Makes every field required. In the types of responses, the fields that `include: 'details'` adds are optional. */
export type WithDetails<Data> = Data extends object
  ? { [Name in keyof Data]-?: WithDetails<Data[Name]> }
  : Data

export type Operation = {
  method: string
  path: string
  body?: 'json' | 'form'
  query?: boolean
  answer: 'nothing' | 'file' | 'list' | 'data' | 'whole'
}

type Query = RequestCall['query']

/**
 * Creates the method of an operation. The method takes the parts of the path, the body, the query and the options, in
 * this order.
 */
export function createMethod(settings: Settings, operation: Operation) {
  return (...given: unknown[]): unknown => {
    const left = [...given]
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name) => encodePart(name, left.shift()))
    const body = operation.body ? left.shift() : undefined
    const query = operation.query ? (left.shift() as Query) : undefined
    const options = (left.shift() ?? {}) as Options
    const call: RequestCall = {
      method: operation.method,
      path,
      query,
      options,
      ...(operation.body === 'form' ? { form: toFormData(body) } : operation.body ? { json: body } : {}),
      isFile: operation.answer === 'file',
    }
    return operation.answer === 'list' ? listItems(settings, call) : answer(settings, call, operation.answer)
  }
}

function encodePart(name: string, value: unknown): string {
  // If the id were missing, the request would go to the path of another operation.
  if (typeof value !== 'number' && (typeof value !== 'string' || value === ''))
    throw new TypeError(`${name} must be a number or a text`)
  return encodeURIComponent(value)
}

function answer(settings: Settings, call: RequestCall, kind: Operation['answer']): AnswerPromise<unknown> {
  const sent = sendRequest(settings, call).then(({ response, content }) => ({
    data: kind === 'data' ? (content as { data: unknown }).data : kind === 'nothing' ? undefined : content,
    response,
  }))
  return Object.assign(
    sent.then(({ data }) => data),
    { withResponse: () => sent },
  )
}

function listItems(settings: Settings, call: RequestCall): Listing<unknown> {
  return new Listing(
    async (changes) => {
      const { response, content } = await sendRequest(settings, {
        ...call,
        query: { ...call.query, ...changes },
      })
      const [, next] = /<([^>]*)>;\s*rel="next"/.exec(response.headers.get('Link') ?? '') ?? []
      const cursor = next ? (new URL(next).searchParams.get('cursor') ?? undefined) : undefined
      return { items: (content as { data: unknown[] }).data, cursor }
    },
    call.query?.['limit'] as number | undefined,
  )
}

function toFormData(fields: unknown): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields as Record<string, unknown>))
    if (value instanceof Blob) form.set(name, value, value instanceof File ? value.name : name)
    else if (value !== undefined && value !== null) form.set(name, String(value))
  return form
}
