// SQL for users and groups as SCIM shows them (RFC 7643). All statements also read from `origin`, a row with the base
// URL of the request, with which all URLs start.
import {
  flag,
  JsonSql,
  linkJson,
  listJson,
  objectJson,
  onlyItemJson,
  optionalMemberJson,
  selectJson,
  text,
  timestamp,
} from '../schemas/json.ts'
import { isPersonSql } from '../users/unknown-organizer.ts'

export const SCIM_PATH = '/scim/v2'
export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group'

const constantJson = <Value>(value: Value) => new JsonSql<Value>([{ literal: JSON.stringify(value) }])

/** SQL for a row with the base URL of the request. `baseUrl` is the placeholder of the base URL. */
const originSql = (baseUrl: string) => `(SELECT CAST(${baseUrl} AS text) AS base_url) AS origin`

const addressJson = (type: 'Users' | 'Groups', id: string) =>
  linkJson('origin.base_url', `${SCIM_PATH}/${type}/`, new JsonSql<number>([{ sql: `(${id})::text` }]))

export const SCIM_USERS_TABLE = 'users LEFT JOIN provisioned_users ON provisioned_users.user_id = users.id'
export const SCIM_GROUPS_TABLE =
  'groups LEFT JOIN provisioned_groups ON provisioned_groups.group_id = groups.id'

/** SQL condition that the identity provider sees the user. A user whom the provider has deleted stays hidden
 * until somebody restores the user. */
export const IS_VISIBLE_SQL = `${isPersonSql()} AND coalesce(provisioned_users.deleted_at < users.deactivated_at, true)`

/** SQL for the SCIM user name, which is the UPN, or the e-mail if the user has no UPN. */
export const USER_NAME_SQL = 'coalesce(users.upn, users.email)'

/** SQL for a part of the user's name as the identity provider sent it, or null if the name has changed since then. */
export const sentNamePartSql = (column: 'given_name' | 'family_name') =>
  `CASE WHEN provisioned_users.parted_name = users.name THEN provisioned_users.${column} END`
export const GIVEN_NAME_SQL = `coalesce(${sentNamePartSql('given_name')}, nullif(regexp_replace(users.name, '\\s*\\S+\\s*$', ''), ''))`
export const FAMILY_NAME_SQL = `coalesce(${sentNamePartSql('family_name')}, substring(users.name FROM '(\\S+)\\s*$'))`

const PICTURE_ADDRESS_SQL = '(SELECT provider_url FROM user_pictures WHERE user_pictures.user_id = users.id)'

const optionalTextJson = (sql: string) => optionalMemberJson(`${sql} IS NOT NULL`, text(sql))

export const scimUserJson = objectJson({
  schemas: constantJson([USER_SCHEMA]),
  id: text('users.id::text'),
  externalId: optionalTextJson('provisioned_users.external_id'),
  userName: text(USER_NAME_SQL),
  name: objectJson({
    formatted: text('users.name'),
    familyName: optionalTextJson(FAMILY_NAME_SQL),
    givenName: optionalTextJson(GIVEN_NAME_SQL),
  }),
  displayName: text('users.name'),
  emails: onlyItemJson(
    objectJson({ value: text('users.email'), type: constantJson('work'), primary: constantJson(true) }),
  ),
  photos: optionalMemberJson(
    `${PICTURE_ADDRESS_SQL} IS NOT NULL`,
    onlyItemJson(
      objectJson({
        value: text(PICTURE_ADDRESS_SQL),
        type: constantJson('photo'),
        primary: constantJson(true),
      }),
    ),
  ),
  active: flag('users.deactivated_at IS NULL'),
  groups: selectJson(
    listJson(
      objectJson({
        value: text('groups.id::text'),
        $ref: addressJson('Groups', 'groups.id'),
        display: text('groups.name'),
        type: constantJson('direct'),
      }),
      'groups.id',
    ),
    'FROM group_members JOIN groups ON groups.id = group_members.group_id WHERE group_members.user_id = users.id',
  ),
  meta: objectJson({
    resourceType: constantJson('User'),
    created: timestamp('users.created_at'),
    lastModified: timestamp('greatest(users.updated_at, provisioned_users.updated_at)'),
    location: addressJson('Users', 'users.id'),
  }),
})

const MEMBERS_SQL = `FROM group_members JOIN ${SCIM_USERS_TABLE} ON users.id = group_members.user_id`

const groupMembers = {
  id: text('groups.id::text'),
  externalId: optionalTextJson('provisioned_groups.external_id'),
  displayName: text('groups.name'),
}
const groupMeta = {
  meta: objectJson({ resourceType: constantJson('Group'), location: addressJson('Groups', 'groups.id') }),
}

/** The JSON of a group without its members, of whom there may be thousands. */
export const scimGroupJson = objectJson({
  schemas: constantJson([GROUP_SCHEMA]),
  ...groupMembers,
  ...groupMeta,
})

export const scimGroupWithMembersJson = objectJson({
  schemas: constantJson([GROUP_SCHEMA]),
  ...groupMembers,
  members: selectJson(
    listJson(
      objectJson({
        value: text('users.id::text'),
        $ref: addressJson('Users', 'users.id'),
        display: text('users.name'),
        type: constantJson('User'),
      }),
      'users.id',
    ),
    `${MEMBERS_SQL} WHERE group_members.group_id = groups.id AND ${IS_VISIBLE_SQL}`,
  ),
  ...groupMeta,
})

/** SQL for the content from which a group's ETag is computed as a hash. The content covers all members, so
 * the ETag is the same whether the response includes members or not. */
export const GROUP_ETAG_SOURCE = `concat_ws(' ', groups.id, to_json(groups.name), to_json(provisioned_groups.external_id), (
  SELECT md5(string_agg(users.id::text, ',' ORDER BY users.id))
  ${MEMBERS_SQL} WHERE group_members.group_id = groups.id AND ${IS_VISIBLE_SQL}))`

/** SQL that selects users. Each row has the complete JSON, and the content from which the ETag is computed. */
export const selectScimUsersSql = (baseUrl: string, condition: string) =>
  `SELECT resource, resource AS body, id FROM (
     SELECT ${scimUserJson} AS resource, users.id FROM ${originSql(baseUrl)}, ${SCIM_USERS_TABLE} WHERE ${IS_VISIBLE_SQL} AND ${condition}
   ) AS resources`

export const selectScimGroupsSql = (baseUrl: string, condition: string, { hasMembers = true } = {}) =>
  `SELECT ${hasMembers ? scimGroupWithMembersJson : scimGroupJson} AS resource, ${GROUP_ETAG_SOURCE} AS body, groups.id
   FROM ${originSql(baseUrl)}, ${SCIM_GROUPS_TABLE} WHERE ${condition}`
