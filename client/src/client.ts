// The client: the API's resources with their methods, the change feed, and `request` for everything else.
import { createChangeFollower, type FollowChanges } from './changes.ts'
import { OPERATIONS, type Resources } from './generated/resources.ts'
import { createMethod } from './operation.ts'
import { type ClientOptions, type RequestCall, sendRequest, TIMEOUT_MS_DEFAULT } from './request.ts'

type CustomCall = Partial<Omit<RequestCall, 'method' | 'path'>>

export type Client = Resources & {
  changes: Resources['changes'] & { follow: FollowChanges }
  /**
   * Sends any request, with the same retries, for operations that have no method. `data` is the whole response body.
   */
  request(method: string, path: string, call?: CustomCall): Promise<{ data: unknown; response: Response }>
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
  const { timeoutMs = TIMEOUT_MS_DEFAULT } = options
  return {
    ...resources,
    changes: { ...resources.changes, follow: createChangeFollower(resources.changes.list, timeoutMs) },
    async request(method, path, call) {
      const { response, content } = await sendRequest(settings, { options: {}, ...call, method, path })
      return { data: content, response }
    },
  }
}

function readUrl(url: string): string {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw new TypeError('url must be the address of the installation, such as https://desk.example.com')
  return url
}
