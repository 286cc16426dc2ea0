// SCIM discovery: what this server supports, and which attributes it stores (RFC 7643, sections 5 to 7).
import { GROUP_SCHEMA, SCIM_PATH, USER_SCHEMA } from '../../../shared/scim/scim-shape.ts'
import type { ScimMembers } from './scim-patch.ts'
import { PAGE_SIZE_MAX } from './scim-reads.ts'

const CORE_SCHEMA_PREFIX = 'urn:ietf:params:scim:schemas:core:2.0'

export const describeServiceProvider = (baseUrl: string): ScimMembers => ({
  schemas: [`${CORE_SCHEMA_PREFIX}:ServiceProviderConfig`],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: PAGE_SIZE_MAX },
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
  meta: { resourceType: 'ServiceProviderConfig', location: `${baseUrl}${SCIM_PATH}/ServiceProviderConfig` },
})

const describeResourceType = (baseUrl: string, name: string, schema: string): ScimMembers => ({
  schemas: [`${CORE_SCHEMA_PREFIX}:ResourceType`],
  id: name,
  name,
  endpoint: `/${name}s`,
  description: name,
  schema,
  meta: { resourceType: 'ResourceType', location: `${baseUrl}${SCIM_PATH}/ResourceTypes/${name}` },
})

export const listResourceTypes = (baseUrl: string): ScimMembers[] => [
  describeResourceType(baseUrl, 'User', USER_SCHEMA),
  describeResourceType(baseUrl, 'Group', GROUP_SCHEMA),
]

type AttributeTraits = Partial<{
  type: string
  required: boolean
  caseExact: boolean
  mutability: string
  uniqueness: string
  multiValued: boolean
  referenceTypes: string[]
  canonicalValues: string[]
  subAttributes: ScimMembers[]
}>

const describeAttribute = (name: string, description: string, traits: AttributeTraits = {}): ScimMembers => ({
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

const READ_ONLY = { mutability: 'readOnly' }
const describeReference = (type: string) =>
  describeAttribute('$ref', 'Its address.', {
    type: 'reference',
    referenceTypes: [type],
    caseExact: true,
    ...READ_ONLY,
  })

const USER_ATTRIBUTES = [
  describeAttribute('userName', 'The UPN. Without one it is the e-mail.', {
    required: true,
    uniqueness: 'server',
  }),
  describeAttribute('name', 'The parts of the name.', {
    type: 'complex',
    subAttributes: [
      describeAttribute('formatted', 'The name.'),
      describeAttribute('familyName', 'The family name.'),
      describeAttribute('givenName', 'The given name.'),
    ],
  }),
  describeAttribute('displayName', 'The name.'),
  describeAttribute('emails', 'The e-mail.', {
    type: 'complex',
    multiValued: true,
    required: true,
    subAttributes: [
      describeAttribute('value', 'The address.', { uniqueness: 'server' }),
      describeAttribute('type', 'Always “work”.', { canonicalValues: ['work'] }),
      describeAttribute('primary', 'Always true.', { type: 'boolean' }),
    ],
  }),
  describeAttribute('photos', 'Where the picture is, which Berth copies.', {
    type: 'complex',
    multiValued: true,
    subAttributes: [
      describeAttribute('value', 'The address.', {
        type: 'reference',
        referenceTypes: ['external'],
        caseExact: true,
      }),
      describeAttribute('type', 'Always “photo”.', { canonicalValues: ['photo'] }),
      describeAttribute('primary', 'Always true.', { type: 'boolean' }),
    ],
  }),
  describeAttribute('active', 'False for a deactivated user, who cannot book.', { type: 'boolean' }),
  describeAttribute('groups', 'The groups of the user.', {
    type: 'complex',
    multiValued: true,
    ...READ_ONLY,
    subAttributes: [
      describeAttribute('value', 'The id of the group.', { caseExact: true, ...READ_ONLY }),
      describeReference('Group'),
      describeAttribute('display', 'The name of the group.', READ_ONLY),
      describeAttribute('type', 'Always “direct”.', { canonicalValues: ['direct'], ...READ_ONLY }),
    ],
  }),
]

const IMMUTABLE = { mutability: 'immutable' }
const GROUP_ATTRIBUTES = [
  describeAttribute('displayName', 'The name of the group.', { required: true, uniqueness: 'server' }),
  describeAttribute('members', 'The members of the group: users.', {
    type: 'complex',
    multiValued: true,
    subAttributes: [
      describeAttribute('value', 'The id of the user.', { caseExact: true, ...IMMUTABLE }),
      describeReference('User'),
      describeAttribute('display', 'The name of the user.', READ_ONLY),
      describeAttribute('type', 'Always “User”.', { canonicalValues: ['User'], ...IMMUTABLE }),
    ],
  }),
]

const schema = (baseUrl: string, id: string, name: string, attributes: ScimMembers[]): ScimMembers => ({
  schemas: [`${CORE_SCHEMA_PREFIX}:Schema`],
  id,
  name,
  description: name,
  attributes,
  meta: { resourceType: 'Schema', location: `${baseUrl}${SCIM_PATH}/Schemas/${id}` },
})

export const scimSchemas = (baseUrl: string): ScimMembers[] => [
  schema(baseUrl, USER_SCHEMA, 'User', USER_ATTRIBUTES),
  schema(baseUrl, GROUP_SCHEMA, 'Group', GROUP_ATTRIBUTES),
]
