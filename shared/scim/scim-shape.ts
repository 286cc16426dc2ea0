// Users and groups as SCIM shows them (RFC 7643), built in SQL. All statements read from ORIGIN too: the base address of
// the request, with which addresses start.
import {
  flag,
  JsonSql,
  link,
  listJson,
  memberWhere,
  objectJson,
  onlyItemJson,
  selectJson,
  text,
  timestamp,
} from '../schemas/json.ts'

export const SCIM = '/scim/v2'
export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group'

const constant = <Value>(value: Value) => new JsonSql<Value>([{ literal: JSON.stringify(value) }])

/** `baseUrl` is a placeholder. */
const origin = (baseUrl: string) => `(SELECT CAST(${baseUrl} AS text) AS base_url) AS origin`

const address = (type: 'Users' | 'Groups', id: string) =>
  link('origin.base_url', `${SCIM}/${type}/`, new JsonSql<number>([{ sql: `(${id})::text` }]))

export const USERS = 'users LEFT JOIN provisioned_users ON provisioned_users.user_id = users.id'
export const GROUPS = 'groups LEFT JOIN provisioned_groups ON provisioned_groups.group_id = groups.id'

/** The provider does not see a user whom it has deleted, until somebody restores them. */
export const IS_VISIBLE = `NOT users.is_anonymous AND coalesce(provisioned_users.deleted_at < users.deactivated_at, true)`

/** Without a UPN, the e-mail is the user name. */
export const USER_NAME = 'coalesce(users.upn, users.email)'

/** Parts belong to the name that the user had when the provider sent them. */
export const sentPart = (column: 'given_name' | 'family_name') =>
  `CASE WHEN provisioned_users.parted_name = users.name THEN provisioned_users.${column} END`
export const GIVEN_NAME = `coalesce(${sentPart('given_name')}, nullif(regexp_replace(users.name, '\\s*\\S+\\s*$', ''), ''))`
export const FAMILY_NAME = `coalesce(${sentPart('family_name')}, substring(users.name FROM '(\\S+)\\s*$'))`

const whereKnown = (sql: string) => memberWhere(`${sql} IS NOT NULL`, text(sql))

export const scimUserJson = objectJson({
  schemas: constant([USER_SCHEMA]),
  id: text('users.id::text'),
  externalId: whereKnown('provisioned_users.external_id'),
  userName: text(USER_NAME),
  name: objectJson({
    formatted: text('users.name'),
    familyName: whereKnown(FAMILY_NAME),
    givenName: whereKnown(GIVEN_NAME),
  }),
  displayName: text('users.name'),
  emails: onlyItemJson(
    objectJson({ value: text('users.email'), type: constant('work'), primary: constant(true) }),
  ),
  active: flag('users.deactivated_at IS NULL'),
  groups: selectJson(
    listJson(
      objectJson({
        value: text('groups.id::text'),
        $ref: address('Groups', 'groups.id'),
        display: text('groups.name'),
        type: constant('direct'),
      }),
      'groups.id',
    ),
    'FROM group_members JOIN groups ON groups.id = group_members.group_id WHERE group_members.user_id = users.id',
  ),
  meta: objectJson({
    resourceType: constant('User'),
    created: timestamp('users.created_at'),
    lastModified: timestamp('greatest(users.updated_at, provisioned_users.updated_at)'),
    location: address('Users', 'users.id'),
  }),
})

const MEMBERS = `FROM group_members JOIN ${USERS} ON users.id = group_members.user_id`

const groupMembers = {
  id: text('groups.id::text'),
  externalId: whereKnown('provisioned_groups.external_id'),
  displayName: text('groups.name'),
}
const groupMeta = {
  meta: objectJson({ resourceType: constant('Group'), location: address('Groups', 'groups.id') }),
}

/** Without the members, of whom there may be thousands. */
export const scimGroupJson = objectJson({ schemas: constant([GROUP_SCHEMA]), ...groupMembers, ...groupMeta })

export const scimGroupWithMembersJson = objectJson({
  schemas: constant([GROUP_SCHEMA]),
  ...groupMembers,
  members: selectJson(
    listJson(
      objectJson({
        value: text('users.id::text'),
        $ref: address('Users', 'users.id'),
        display: text('users.name'),
        type: constant('User'),
      }),
      'users.id',
    ),
    `${MEMBERS} WHERE group_members.group_id = groups.id AND ${IS_VISIBLE}`,
  ),
  ...groupMeta,
})

/**
 * What the ETag is the hash of. It is the same whether the members are shown or not, and names all of them.
 */
export const GROUP_STATE = `concat_ws(' ', groups.id, to_json(groups.name), to_json(provisioned_groups.external_id), (
  SELECT md5(string_agg(users.id::text, ',' ORDER BY users.id))
  ${MEMBERS} WHERE group_members.group_id = groups.id AND ${IS_VISIBLE}))`

/** Each row: the finished JSON, and what its ETag is the hash of. */
export const selectScimUsers = (baseUrl: string, condition: string) =>
  `SELECT resource, resource AS body, id FROM (
     SELECT ${scimUserJson} AS resource, users.id FROM ${origin(baseUrl)}, ${USERS} WHERE ${IS_VISIBLE} AND ${condition}
   ) AS resources`

export const selectScimGroups = (baseUrl: string, condition: string, { hasMembers = true } = {}) =>
  `SELECT ${hasMembers ? scimGroupWithMembersJson : scimGroupJson} AS resource, ${GROUP_STATE} AS body, groups.id
   FROM ${origin(baseUrl)}, ${GROUPS} WHERE ${condition}`
