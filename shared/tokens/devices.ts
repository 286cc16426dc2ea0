// The device flow of OAuth (RFC 8628): a program without a browser shows a code, and somebody approves the program in a
// browser. Berth stores both codes as hashes, and the program's own code works only once.
import { randomBytes, randomInt } from 'node:crypto'
import * as answer from '../schemas/answers.ts'
import { id, object, required } from '../schemas/fields.ts'
import { sha256 } from '../schemas/inputs.ts'
import { writeJob } from '../schemas/job.ts'
import { hashToken } from './token-store.ts'

export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
export const DEVICE_CODE_SECONDS = 600
export const POLL_SECONDS = 5
/** The limit on the length of the name of a program, and of the name of the machine that it runs on. */
export const DEVICE_NAME_LENGTH_MAX = 100

// Codes contain only consonants, so that they do not spell words.
const CODE_LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
const CODE_LENGTH = 8

export const createDeviceCode = (): string => randomBytes(32).toString('base64url')

export function createUserCode(): string {
  const letters = Array.from(
    { length: CODE_LENGTH },
    () => CODE_LETTERS[randomInt(CODE_LETTERS.length)],
  ).join('')
  return `${letters.slice(0, 4)}-${letters.slice(4)}`
}

/** Hashes a code as people type it: in any letter case, and with or without the hyphen. */
export function hashUserCode(typed: string): Buffer {
  return hashToken(`user code ${typed.toUpperCase().replace(/[^A-Z]/g, '')}`)
}

export const deviceJobs = {
  /** Approves the program for a user, or denies access if there is no user. */
  'devices.decide': writeJob(
    object({ user_code_hash: required(sha256()), user_id: required(id()).nullable() }),
    null,
  ),
  'devices.redeem': writeJob(
    object({ device_code_hash: required(sha256()), hash: required(sha256()) }),
    answer.idReply,
  ),
}
