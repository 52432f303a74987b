import { type Json, type JsonObject, jsonString } from '../../base/json.ts';

/** Writes outcomes as JSON, with a fast path for records that need no attention. */
export function outcomeWriter(): (outcome: JsonObject) => string {
  let lastFile = '';
  let lastFileJson = '""';
  return (outcome) => {
    const { file, line, originId, outcome: word } = outcome;
    const isPlain = typeof file === 'string' && typeof line === 'number' && isWithoutRemarks(outcome);
    if (!isPlain || typeof originId !== 'string' || typeof word !== 'string') return JSON.stringify(outcome);
    if (file !== lastFile) {
      lastFile = file;
      lastFileJson = jsonString(file);
    }
    const ids = idField('id', outcome['id']) + idField('jobId', outcome['jobId']);
    return `{"file":${lastFileJson},"line":${line},"originId":${jsonString(originId)},"outcome":"${word}"${ids}}`;
  };
}

/** Whether an outcome says no more than what became of its record. */
function isWithoutRemarks({ changes, comparedWith, error }: JsonObject): boolean {
  return changes === undefined && comparedWith === undefined && error === undefined;
}

function idField(name: 'id' | 'jobId', id: Json | undefined): string {
  return typeof id === 'string' ? `,"${name}":${jsonString(id)}` : '';
}
