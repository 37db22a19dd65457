"""Pillow's and torchvision's answers for images and their transforms: tests/golden/images. Wants pillow, numpy, torchvision.

    python tests/golden/make_images.py
"""
import os

import numpy as np
import torchvision.transforms.functional as F
from PIL import Image, ImageOps

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'images'))
rng = np.random.default_rng(0)
y, x = np.mgrid[0:24, 0:31]
pixels = np.stack([(x * 8) % 256, (y * 10) % 256, ((x + y) * 4 + rng.integers(0, 40, x.shape)) % 256], 2).astype(np.uint8)
image = Image.fromarray(pixels)

image.save('rgb.png')
image.save('rgb.jpg', quality=92)
image.save('rgb.webp', lossless=True)
image.save('rgb.bmp')
image.convert('L').save('grey.png')
image.convert('L').save('grey.jpg')
image.convert('P').save('palette.png')
image.convert('P').save('palette.bmp')
image.convert('1').save('bits.bmp')
image.convert('RGBA').save('rgba.png')
image.convert('CMYK').save('cmyk.jpg')
Image.fromarray((np.arange(24 * 31).reshape(24, 31) * 88).astype(np.uint16)).save('grey16.png')

answers = {}


def put(name, picture):
    array = np.asarray(picture)
    answers[name] = np.ascontiguousarray(array.transpose(2, 0, 1) if array.ndim == 3 else array[None])


for name in ('rgb.png', 'rgb.jpg', 'rgb.webp', 'rgb.bmp', 'grey.png', 'grey.jpg', 'palette.png', 'palette.bmp', 'bits.bmp', 'cmyk.jpg'):
    put(name, Image.open(name).convert('RGB'))
for h, w in ((10, 14), (50, 70), (24, 13), (9, 31), (8, 56)):  # the last: columns before rows, since Pillow 13
    for how in ('BILINEAR', 'BICUBIC'):
        put(f'{how.lower()}_{h}_{w}', image.resize((w, h), getattr(Image, how)))
for h, w in ((10, 14), (50, 70), (14, 50)):  # in the last the middle of a pixel may lie on a border, and Pillow adds up rounded steps
    put(f'nearest_{h}_{w}', image.resize((w, h), Image.NEAREST))
put('shorter_16', F.resize(image, 16))
put('center_18', F.center_crop(image, 18))
put('center_40', F.center_crop(image, 40))
put('grey', image.convert('L'))
for f in (0, 0.4, 1.7):
    put(f'brightness_{f:g}', F.adjust_brightness(image, f))
    put(f'contrast_{f:g}', F.adjust_contrast(image, f))
    put(f'saturation_{f:g}', F.adjust_saturation(image, f))
    put(f'sharpness_{f:g}', F.adjust_sharpness(image, f))
for h in (-0.3, 0.2):
    put(f'hue_{h:g}', F.adjust_hue(image, h))
put('rotated_30', F.rotate(image, 30))
put('rotated_25', F.rotate(image.resize((310, 240), Image.NEAREST), 25))
put('rotated_-20', F.rotate(image, -20, interpolation=F.InterpolationMode.BILINEAR))
for s in (0.7, 1.25):  # middles of pixels on borders
    put(f'scaled_{s:g}', F.affine(image, 0, [0, 0], s, [0, 0]))
put('equalized', ImageOps.equalize(image))
put('autocontrast', ImageOps.autocontrast(image))
put('posterized', ImageOps.posterize(image, 3))
put('solarized', ImageOps.solarize(image, 100))
put('inverted', ImageOps.invert(image))
put('reflect', F.pad(image, [3, 5, 7, 2], 0, 'reflect'))
put('symmetric', F.pad(image, [3, 5, 7, 2], 0, 'symmetric'))
put('edge', F.pad(image, [3, 5, 7, 2], 0, 'edge'))
put('blurred', F.gaussian_blur(image, [5, 7], [1.3, 1.3]))
np.savez_compressed('answers.npz', **answers)
