// The device flow of OAuth (RFC 8628): a program without a browser shows a code, and somebody approves it elsewhere. The
// codes are stored as hashes; the program's code works once.
import { randomBytes, randomInt } from 'node:crypto'
import * as answer from '../schemas/answers.ts'
import { id, object, required } from '../schemas/fields.ts'
import { sha256 } from '../schemas/inputs.ts'
import { write } from '../schemas/job.ts'
import { hashToken } from './token-store.ts'

export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
export const DEVICE_CODE_SECONDS = 600
export const POLL_SECONDS = 5
/** The longest names of a program and of the machine that it runs on. */
export const DEVICE_NAME_MAX = 100

// Only consonants, so that no code spells a word.
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
const LETTERS_MAX = 8

export const createDeviceCode = (): string => randomBytes(32).toString('base64url')

export function createUserCode(): string {
  const letters = Array.from({ length: LETTERS_MAX }, () => LETTERS[randomInt(LETTERS.length)]).join('')
  return `${letters.slice(0, 4)}-${letters.slice(4)}`
}

/** As people type it: in small letters, with or without the hyphen. */
export function hashUserCode(typed: string): Buffer {
  return hashToken(`user code ${typed.toUpperCase().replace(/[^A-Z]/g, '')}`)
}

export const deviceJobs = {
  /** Without a user the program is denied. */
  'devices.decide': write(
    object({ user_code_hash: required(sha256()), user_id: required(id()).nullable() }),
    null,
  ),
  'devices.redeem': write(
    object({ device_code_hash: required(sha256()), hash: required(sha256()) }),
    answer.idReply,
  ),
}
