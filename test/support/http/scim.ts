// A client of SCIM, and bodies as Entra and Okta send them.
import { useWith } from '../use.ts'
import type { World } from '../world.ts'
import type { Answered, Client } from './http.ts'

const TYPE = { 'Content-Type': 'application/scim+json', Accept: 'application/scim+json' }
const USER = 'urn:ietf:params:scim:schemas:core:2.0:User'
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group'
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

type Headers = Record<string, string>

export class ScimClient {
  readonly client: Client

  constructor(client: Client) {
    this.client = client
  }

  ask(method: string, path: string, body?: unknown, headers: Headers = {}): Promise<Answered> {
    return this.client.ask(`/scim/v2/${path}`, { method, body, headers: { ...TYPE, ...headers } })
  }

  get = (path: string, headers?: Headers) => this.ask('GET', path, undefined, headers)
  post = (path: string, body: unknown, headers?: Headers) => this.ask('POST', path, body, headers)
  put = (path: string, body: unknown, headers?: Headers) => this.ask('PUT', path, body, headers)
  delete = (path: string, headers?: Headers) => this.ask('DELETE', path, undefined, headers)
  patch = (path: string, Operations: unknown, headers?: Headers) =>
    this.ask('PATCH', path, { schemas: [PATCH], Operations }, headers)

  /** Those whom the filter finds. */
  async find(type: 'Users' | 'Groups', filter: string, query = ''): Promise<Answered> {
    return this.get(`${type}?filter=${encodeURIComponent(filter)}${query}`)
  }
}

export const useScim = (world: World): ScimClient =>
  useWith(world, async () => new ScimClient(await world.client('user-write')))

/** As Entra creates a user, with its standard mapping of attributes. */
export const entraUser = (userName: string, changes: Record<string, unknown> = {}) => ({
  schemas: [USER, 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'],
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

/** As Okta creates a user. */
export const oktaUser = (userName: string, changes: Record<string, unknown> = {}) => ({
  schemas: [USER],
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

export const entraGroup = (displayName: string) => ({
  schemas: [GROUP, 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'],
  externalId: `external-${displayName}`,
  displayName,
  meta: { resourceType: 'Group' },
})

export const oktaGroup = (displayName: string) => ({ schemas: [GROUP], displayName, members: [] })
