// Reads what Graph says about a failure.
import { type FaultBody, type HttpAnswer, parseJson } from './requests.ts'

// Codes that say more than the status of their answer.
const FAULT_OF_CODE: Record<string, FaultBody['kind']> = {
  errorirresolvableconflict: 'conflict',
  syncstatenotfound: 'gone',
  syncstateinvalid: 'gone',
  resyncrequired: 'gone',
  erroritemnotfound: 'not_found',
}

export function readGraphFault({ text }: HttpAnswer, permission: string): FaultBody {
  const { error } = (parseJson(text) ?? {}) as { error?: { code?: string; message?: string } }
  const code = typeof error?.code === 'string' ? error.code : undefined
  const kind = code ? FAULT_OF_CODE[code.toLowerCase()] : undefined
  return {
    permission,
    ...(kind && { kind }),
    ...(code && { code }),
    ...(typeof error?.message === 'string' && { text: error.message }),
  }
}
