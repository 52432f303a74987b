import * as z from 'zod';
import { documentedOperations, type Operation, pathParameters } from './operations.ts';
import { writtenForm } from './reply-forms.ts';
import { resources } from './resources.ts';

/*
 * The contract in a notation for other programs: client generators, validating proxies, documentation. Array parameters
 * have their default notation (assumption `arrayQuery`).
 */

type Schema = Readonly<Record<string, unknown>>;
type Schemas = Record<string, Schema>;

const json = (schema: Schema) => ({ content: { 'application/json': { schema } } });
const componentRef = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** The documented operations and the webhook as an OpenAPI 3.1 document. Replies are described as by `schema`. */
export function openApiDocument(): Schema {
  const schemas: Schemas = {};
  for (const [name, resource] of Object.entries(resources)) {
    schemas[componentName(name)] = jsonSchema(writtenForm(resource), 'input', schemas);
  }
  schemas['ValidationError'] = validationError;
  const paths: Record<string, Schema> = {};
  for (const [name, operation] of Object.entries<Operation>(documentedOperations)) {
    const method = operation.method.toLowerCase();
    paths[operation.path] = { ...paths[operation.path], [method]: operationObject(name, operation, schemas) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Review Management Admin Interface',
      version: '2',
      description: 'The operations of the API document, and the replies that reviewctl reads.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [
      {
        url: '{baseUrl}',
        description: 'baseUrl is by default the address of a sandbox.',
        // Validators with the first schema of OpenAPI 3.1 refuse a description of the variable itself.
        variables: { baseUrl: { default: 'http://127.0.0.1:4010' } },
      },
    ],
    security: [{ credential: [] }],
    paths,
    webhooks: { rewardRequest: { post: rewardRequest } },
    components: {
      securitySchemes: { credential: { type: 'http', scheme: 'basic' } },
      schemas,
    },
  };
}

function operationObject(name: string, operation: Operation, schemas: Schemas): Schema {
  const { number, purpose, path, query, body, reply } = operation;
  const parameters = [...pathParameters(path).map(pathParameter), ...queryParameters(query)];
  return {
    operationId: name,
    summary: `${purpose.charAt(0).toUpperCase()}${purpose.slice(1)}`,
    description: `API 4.${number}`,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, ...json(jsonSchema(body, 'input', schemas)) } }),
    responses: {
      '2XX': {
        description: 'The status is not documented.',
        ...json(replySchema(reply, schemas)),
      },
      '4XX': {
        description: 'The request is refused. Only validation failures have a documented body (API 7).',
        ...json(componentRef('ValidationError')),
      },
    },
  };
}

function pathParameter(name: string): Schema {
  return { name, in: 'path', required: true, schema: { type: 'string', minLength: 1 } };
}

function queryParameters(query: z.ZodObject | undefined): Schema[] {
  if (query === undefined) return [];
  const { properties = {} } = z.toJSONSchema(query, { io: 'output' });
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...schema } = property as Schema;
    return { name, in: 'query', ...(description === undefined ? {} : { description }), schema };
  });
}

/** The schema of a reply: a reference to a resource, a list of jobs, or a page. */
function replySchema(reply: z.core.$ZodType, schemas: Schemas): Schema {
  const [name] = Object.entries(resources).find(([, resource]) => resource === reply) ?? [];
  if (name !== undefined) return componentRef(componentName(name));
  if (reply instanceof z.ZodArray) return { type: 'array', items: replySchema(reply.element, schemas) };
  if (!(reply instanceof z.ZodObject)) throw new Error('a reply is a resource, a list or a page');
  const { data, ...shape } = reply.shape;
  const page = jsonSchema(writtenForm(z.looseObject(shape)), 'input', schemas);
  const properties = { ...(page['properties'] as Schema), data: replySchema(data, schemas) };
  return { ...page, properties, required: ['data'] };
}

/** Converts a schema to JSON Schema and moves its definitions to the components. */
function jsonSchema(schema: z.ZodType, io: 'input' | 'output', schemas: Schemas): Schema {
  const text = JSON.stringify(z.toJSONSchema(schema, { io }));
  const {
    $schema: _dialect,
    $defs = {},
    ...own
  } = JSON.parse(text.replaceAll('#/$defs/', componentRef('').$ref));
  Object.assign(schemas, $defs);
  return own;
}

/** `Product group` as the name of a component. */
function componentName(resource: string): string {
  return resource.replace(/ (\w)/, (_, initial: string) => initial.toUpperCase());
}

/** API 7; steps of `loc` may be integers (assumption `locIndex`). */
const validationError: Schema = {
  type: 'object',
  properties: {
    detail: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          loc: { type: 'array', items: { type: ['string', 'integer'] } },
          msg: { type: 'string' },
          type: { type: 'string' },
        },
        required: ['loc', 'msg', 'type'],
      },
    },
  },
  required: ['detail'],
};

/** API 6. */
const rewardRequest: Schema = {
  operationId: 'rewardRequest',
  summary: 'Reward of a written review',
  description: 'API 6',
  security: [],
  requestBody: { required: true, ...json(componentRef('Reward')) },
  responses: {
    '2XX': {
      description: 'The reward is paid.',
      ...json({ type: 'object', properties: { message: { type: 'string' } } }),
    },
    '4XX': { description: 'The payment failed.' },
    '5XX': { description: 'The payment failed.' },
  },
};
