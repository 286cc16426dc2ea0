// The exports of the package, for Node, browsers and Deno.
export type { FollowOptions } from './changes.ts'
export { type Client, createClient } from './client.ts'
export * from './errors.ts'
export type * from './generated/schemas.ts'
export { Listing } from './listing.ts'
export type { AnswerPromise, Options, WithDetails } from './operation.ts'
export type { ClientOptions } from './request.ts'
export { signWebhook, verifyWebhook, WebhookError } from './webhooks.ts'
