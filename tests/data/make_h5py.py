# Makes h5py.h5, v110.h5, v112.h5, v200.h5, small_old.h5 and small_v108.h5, files as Python programs write them: python3 make_h5py.py (h5py 3.16, numpy 2.4).
import h5py
import numpy as np


def fill(f, zeros):
    count = np.arange(24)
    f['plain'] = count.reshape(4, 6).astype('f4')
    f['big_endian'] = count.astype('>f8')
    f['big_int'] = count.reshape(2, 12).astype('>i2')
    f['half'] = count.astype('f2')
    f['big_half'] = count.astype('>f2')
    f['unsigned16'] = np.array([0, 65535], 'u2')
    f['unsigned32'] = np.array([0, 4294967295], 'u4')
    f['bool'] = np.array([True, False, True])
    f['scalar'] = np.int32(-7)
    f['empty'] = np.zeros((0, 3), 'i8')
    f['nothing'] = h5py.Empty('f4')
    f['bytes'] = np.bytes_('text')
    f['names'] = np.array([b'a', b'bcd'])
    f['text'] = 'größer'  # of variable length, as h5py writes str
    f['texts'] = ['a', '', 'bcd']
    f['it%41'] = np.int8(1)  # names are taken as they are
    f['[1]'] = np.int8(2)
    packed = dict(chunks=(7, 5), compression='gzip', shuffle=True, fletcher32=True)
    f.create_dataset('packed', data=np.arange(400).reshape(20, 20).astype('>i4'), **packed)
    f.create_dataset('zeros', data=np.zeros((zeros, zeros)), compression='gzip')
    f.create_dataset('growing', data=count.astype('u1'), maxshape=(None,))
    f.create_dataset('unwritten', shape=(5,), dtype='f4', fillvalue=2.5)
    f.create_dataset('compact', data=count.astype('i1'), dcpl=None)
    g = f.create_group('layer', track_order=True)
    g['weight'] = count.reshape(2, 3, 4).astype('f4')
    g['bias'] = np.ones(3, 'f4')
    g.attrs['z'] = 3
    g.attrs['a'] = 0.5
    g.attrs['flag'] = np.bool_(True)
    g.attrs['list'] = np.array([1.5, 2.5])
    g.attrs['matrix'] = np.eye(2)
    g.attrs['text'] = np.bytes_('fixed')
    g.attrs['none'] = h5py.Empty('i4')
    g.attrs['note'] = 'of variable length'
    g.attrs['notes'] = ['x', 'yz']
    g['weight'].attrs['units'] = 'attributes of datasets are not read'
    f['tied'] = f['layer/weight']


with h5py.File('h5py.h5', 'w') as f:
    fill(f, 300)  # 700 KB in few bytes

with h5py.File('v110.h5', 'w', libver=('v110', 'v110')) as f:  # the layout of libver = 'latest' in HDF5 1.10
    f.create_dataset('packed', data=np.arange(400).reshape(20, 20), chunks=(7, 5), compression='gzip')
    f['plain'] = np.arange(24).reshape(4, 6).astype('f4')

# The layouts of libver = 'latest' in HDF5 1.12 to 1.14 and in 2.0: other versions of enumerations, and in 2.0 of packed chunks.
for name in 'v112', 'v200':
    with h5py.File(name + '.h5', 'w', libver=(name, name)) as f:
        fill(f, 20)
        for index, most, chunks in (('single', (20, 20), (20, 20)), ('fixed', (20, 20), (7, 5)), ('growing1', (None, 20), (3, 20)),
                                    ('growing2', (None, None), (7, 5))):
            data = np.arange(400).reshape(20, 20) % 3 == 0
            f.create_dataset('packed_' + index, data=data, chunks=chunks, maxshape=most, compression='gzip', shuffle=True)
            f.create_dataset('chunked_' + index, data=data, chunks=chunks, maxshape=most)
        flags = f.create_group('flags')
        for i in range(12):  # more than 8 attributes lie in a heap
            flags.attrs['flag%d' % i] = np.bool_(i % 2)

# Small ones for mutants: the oldest layout, and that of HDF5 1.8, whose metadata have checksums; names enough for trees.
for name, libver in (('small_old.h5', ('earliest', 'v108')), ('small_v108.h5', ('v108', 'v108'))):
    with h5py.File(name, 'w', libver=libver) as f:
        fill(f, 20)
        many = f.create_group('many', track_order=True)
        for i in range(10):
            many['set%d' % i] = np.int8(i)
            many.attrs['number%d' % i] = i
