// The client: the resources of the API with their methods, the change feed, and requests for everything else.
import { createFollow, type Follow } from './changes.ts'
import { OPERATIONS, type Resources } from './generated/resources.ts'
import { createMethod } from './operation.ts'
import { type Call, type ClientOptions, send } from './request.ts'

type AnyCall = Partial<Omit<Call, 'method' | 'path'>>

export type Client = Resources & {
  changes: Resources['changes'] & { follow: Follow }
  /** Sends any request, with the same retries, for operations without a method. `data` is the whole answer. */
  request(method: string, path: string, call?: AnyCall): Promise<{ data: unknown; response: Response }>
}

export function createClient(options: ClientOptions): Client {
  const settings = { ...options, url: readUrl(options.url) }
  const resources = Object.fromEntries(
    Object.entries(OPERATIONS).map(([resource, operations]) => [
      resource,
      Object.fromEntries(
        Object.entries(operations).map(([name, operation]) => [name, createMethod(settings, operation)]),
      ),
    ]),
  ) as Resources
  return {
    ...resources,
    changes: { ...resources.changes, follow: createFollow(resources.changes.list) },
    async request(method, path, call) {
      const { response, content } = await send(settings, { options: {}, ...call, method, path })
      return { data: content, response }
    },
  }
}

function readUrl(url: string): string {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw new TypeError('url must be the address of the installation, such as https://desk.example.com')
  return url
}
