// SCIM discovery: what this server supports, and which attributes it stores (RFC 7643, 5 to 7).
import { GROUP_SCHEMA, SCIM, USER_SCHEMA } from '../../../shared/scim/scim-shape.ts'
import type { Members } from './scim-patch.ts'
import { COUNT_MAX } from './scim-reads.ts'

const CORE = 'urn:ietf:params:scim:schemas:core:2.0'

export const serviceProviderConfig = (baseUrl: string): Members => ({
  schemas: [`${CORE}:ServiceProviderConfig`],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: COUNT_MAX },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: true },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'API token',
      description: 'A token of Berth with the ability user-write, as “Authorization: Bearer TOKEN”.',
      specUri: 'https://www.rfc-editor.org/info/rfc6750',
      primary: true,
    },
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: `${baseUrl}${SCIM}/ServiceProviderConfig` },
})

const resourceType = (baseUrl: string, name: string, schema: string): Members => ({
  schemas: [`${CORE}:ResourceType`],
  id: name,
  name,
  endpoint: `/${name}s`,
  description: name,
  schema,
  meta: { resourceType: 'ResourceType', location: `${baseUrl}${SCIM}/ResourceTypes/${name}` },
})

export const resourceTypes = (baseUrl: string): Members[] => [
  resourceType(baseUrl, 'User', USER_SCHEMA),
  resourceType(baseUrl, 'Group', GROUP_SCHEMA),
]

type Traits = Partial<{
  type: string
  required: boolean
  caseExact: boolean
  mutability: string
  uniqueness: string
  multiValued: boolean
  referenceTypes: string[]
  canonicalValues: string[]
  subAttributes: Members[]
}>

const attribute = (name: string, description: string, traits: Traits = {}): Members => ({
  name,
  type: 'string',
  multiValued: false,
  description,
  required: false,
  ...(traits.type === 'complex' || traits.type === 'boolean' ? {} : { caseExact: false }),
  mutability: 'readWrite',
  returned: 'default',
  ...(traits.type === 'complex' || traits.type === 'boolean' ? {} : { uniqueness: 'none' }),
  ...traits,
})

const readOnly = { mutability: 'readOnly' }
const reference = (type: string) =>
  attribute('$ref', 'Its address.', {
    type: 'reference',
    referenceTypes: [type],
    caseExact: true,
    ...readOnly,
  })

const USER_ATTRIBUTES = [
  attribute('userName', 'The UPN. Without one it is the e-mail.', { required: true, uniqueness: 'server' }),
  attribute('name', 'The parts of the name.', {
    type: 'complex',
    subAttributes: [
      attribute('formatted', 'The name.'),
      attribute('familyName', 'The family name.'),
      attribute('givenName', 'The given name.'),
    ],
  }),
  attribute('displayName', 'The name.'),
  attribute('emails', 'The e-mail.', {
    type: 'complex',
    multiValued: true,
    required: true,
    subAttributes: [
      attribute('value', 'The address.', { uniqueness: 'server' }),
      attribute('type', 'Always “work”.', { canonicalValues: ['work'] }),
      attribute('primary', 'Always true.', { type: 'boolean' }),
    ],
  }),
  attribute('active', 'False for a deactivated user, who cannot book.', { type: 'boolean' }),
  attribute('groups', 'The groups of the user.', {
    type: 'complex',
    multiValued: true,
    ...readOnly,
    subAttributes: [
      attribute('value', 'The id of the group.', { caseExact: true, ...readOnly }),
      reference('Group'),
      attribute('display', 'The name of the group.', readOnly),
      attribute('type', 'Always “direct”.', { canonicalValues: ['direct'], ...readOnly }),
    ],
  }),
]

const immutable = { mutability: 'immutable' }
const GROUP_ATTRIBUTES = [
  attribute('displayName', 'The name of the group.', { required: true, uniqueness: 'server' }),
  attribute('members', 'The members of the group: users.', {
    type: 'complex',
    multiValued: true,
    subAttributes: [
      attribute('value', 'The id of the user.', { caseExact: true, ...immutable }),
      reference('User'),
      attribute('display', 'The name of the user.', readOnly),
      attribute('type', 'Always “User”.', { canonicalValues: ['User'], ...immutable }),
    ],
  }),
]

const schema = (baseUrl: string, id: string, name: string, attributes: Members[]): Members => ({
  schemas: [`${CORE}:Schema`],
  id,
  name,
  description: name,
  attributes,
  meta: { resourceType: 'Schema', location: `${baseUrl}${SCIM}/Schemas/${id}` },
})

export const schemas = (baseUrl: string): Members[] => [
  schema(baseUrl, USER_SCHEMA, 'User', USER_ATTRIBUTES),
  schema(baseUrl, GROUP_SCHEMA, 'Group', GROUP_ATTRIBUTES),
]
