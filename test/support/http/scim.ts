// A SCIM client, and request bodies like the ones from Entra and Okta.
import { useWith } from '../use.ts'
import type { World } from '../world.ts'
import type { ApiAnswer, Client } from './http.ts'

const CONTENT_TYPE_HEADERS = { 'Content-Type': 'application/scim+json', Accept: 'application/scim+json' }
const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User'
const GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group'
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

type Headers = Record<string, string>

export class ScimClient {
  readonly client: Client

  constructor(client: Client) {
    this.client = client
  }

  ask(method: string, path: string, body?: unknown, headers: Headers = {}): Promise<ApiAnswer> {
    return this.client.ask(`/scim/v2/${path}`, {
      method,
      body,
      headers: { ...CONTENT_TYPE_HEADERS, ...headers },
    })
  }

  get = (path: string, headers?: Headers) => this.ask('GET', path, undefined, headers)
  post = (path: string, body: unknown, headers?: Headers) => this.ask('POST', path, body, headers)
  put = (path: string, body: unknown, headers?: Headers) => this.ask('PUT', path, body, headers)
  delete = (path: string, headers?: Headers) => this.ask('DELETE', path, undefined, headers)
  patch = (path: string, Operations: unknown, headers?: Headers) =>
    this.ask('PATCH', path, { schemas: [PATCH], Operations }, headers)

  /** Returns the resources that match a filter. */
  async find(type: 'Users' | 'Groups', filter: string, query = ''): Promise<ApiAnswer> {
    return this.get(`${type}?filter=${encodeURIComponent(filter)}${query}`)
  }
}

export const useScim = (world: World): ScimClient =>
  useWith(world, async () => new ScimClient(await world.client('user-write')))

/** Returns a user as Entra creates it with its standard attribute mapping. */
export const createEntraUser = (userName: string, changes: Record<string, unknown> = {}) => ({
  schemas: [USER_SCHEMA, 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'],
  externalId: `external-${userName}`,
  userName,
  active: true,
  emails: [{ primary: true, type: 'work', value: userName }],
  meta: { resourceType: 'User' },
  name: { formatted: 'Anna Meier', familyName: 'Meier', givenName: 'Anna' },
  roles: [],
  title: 'Engineer',
  'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': { department: 'Sales', manager: '12' },
  ...changes,
})

/** Returns a user as Okta creates it. */
export const createOktaUser = (userName: string, changes: Record<string, unknown> = {}) => ({
  schemas: [USER_SCHEMA],
  userName,
  name: { givenName: 'Test', familyName: 'User' },
  emails: [{ primary: true, value: userName, type: 'work' }],
  displayName: 'Test User',
  locale: 'en-US',
  externalId: '00ujl29u0le5T6Aj10h7',
  groups: [],
  password: '1mz050nq',
  active: true,
  ...changes,
})

export const createEntraGroup = (displayName: string) => ({
  schemas: [GROUP_SCHEMA, 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'],
  externalId: `external-${displayName}`,
  displayName,
  meta: { resourceType: 'Group' },
})

export const createOktaGroup = (displayName: string) => ({
  schemas: [GROUP_SCHEMA],
  displayName,
  members: [],
})
